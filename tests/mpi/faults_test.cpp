// Storage that fails (src/storage/faulty.hpp has the rules): what is harmless stays unseen by the
// program; what is not gives the right class, on every rank of a collective call and on one rank
// alone otherwise, with a status that counts what was moved and no byte touched besides.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "file_fixture.hpp"

namespace tributary::test {
namespace {

#ifdef TRIBUTARY_FAULTS

constexpr int kRegion = 6000;  // file bytes for each rank
constexpr int kBlock = 24;     // data bytes ...
constexpr int kStride = 40;    // ... of each so many, where the view has holes
constexpr int kData = 2400;

// One shape of access: strategy, and whether memory and file are scattered.
struct Shape {
  const char* strategy;
  bool read;
  bool write;
  bool file_holes;
  bool memory_holes;
};

constexpr std::array<Shape, 13> kShapes{{
    {"direct", true, true, false, false},
    {"packed", true, true, false, true},
    {"packed", true, true, true, false},
    {"packed", true, true, true, true},
    {"list", true, true, true, false},
    {"list", true, true, true, true},
    {"list", true, true, false, true},
    {"sieve", true, false, true, true},
    {"sieve", true, false, true, false},
    {"rmw", false, true, true, true},
    {"rmw", false, true, true, false},
    {"mapped", false, true, true, true},
    {"mapped", false, true, true, false},
}};

class Faults : public ::testing::Test {
 protected:
  static int last() { return world_size() - 1; }
  static std::string old_bytes() {
    return pattern(static_cast<std::size_t>(kRegion * world_size()), 77);
  }
  static std::string data_of(int rank) { return pattern(kData, static_cast<unsigned>(rank) + 5); }
  static int first_byte(int rank) { return rank * kRegion + 100; }
  // Where the i-th data byte of a rank lies.
  static int place(const Shape& shape, int rank, int i) {
    return first_byte(rank) + (shape.file_holes ? i / kBlock * kStride + i % kBlock : i);
  }
  static std::string expected_image(const Shape& shape, const std::vector<int>& moved) {
    std::string image = old_bytes();
    for (int rank = 0; rank < world_size(); ++rank) {
      const std::string data = data_of(rank);
      for (int i = 0; i < moved[static_cast<std::size_t>(rank)]; ++i)
        image[static_cast<std::size_t>(place(shape, rank, i))] = data[static_cast<std::size_t>(i)];
    }
    return image;
  }

  // Collective. Opens the file under the rules.
  void open(const std::string& rules, const char* strategy = "automatic",
            int amode = MPI_MODE_RDWR) {
    file_.reset();
    barrier();
    if (world_rank() == 0) put_bytes(temp_.path(), old_bytes());
    barrier();
    const TempVariable faults("TRIBUTARY_FAULTS", rules);
    const TempInfo info(
        {{"tributary_collective", "independent"},  // each rank's own faults; collective_faults_test
         {"tributary_strategy", strategy},
         {"ind_wr_buffer_size", "700"},
         {"ind_rd_buffer_size", "700"},
         {"romio_ds_write", strategy == std::string("rmw") ? "enable" : "automatic"}});
    file_ = std::make_unique<TestFile>(temp_.path(), amode, info.get());
  }
  void set_view(const Shape& shape) {
    const TempType tile([&](MPI_Datatype* type) {
      MPI_Datatype block = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(kBlock, MPI_BYTE, &block);
      MPI_Type_create_resized(block, 0, shape.file_holes ? kStride : kBlock, type);
      MPI_Type_free(&block);
    });
    EXPECT_TRUE(succeeded(MPI_File_set_view(file_->get(), first_byte(world_rank()), MPI_BYTE,
                                            tile.get(), "native", MPI_INFO_NULL)));
  }
  struct Outcome {
    int code;
    int moved;
  };
  // The rank's data through the shape; memory with holes has a byte after each two.
  Outcome access(const Shape& shape, bool write, bool collective, std::string& data) {
    const TempType memory([&](MPI_Datatype* type) {
      MPI_Type_vector(kData / 2, 2, shape.memory_holes ? 3 : 2, MPI_BYTE, type);
    });
    const std::size_t step = shape.memory_holes ? 3 : 2;
    std::string buffer(kData / 2 * step, '~');
    for (std::size_t i = 0; i < kData; ++i) buffer[i / 2 * step + i % 2] = data[i];
    MPI_Status status;
    const int code = call(write, collective, buffer.data(), memory.get(), &status);
    if (!write)
      for (std::size_t i = 0; i < kData; ++i) data[i] = buffer[i / 2 * step + i % 2];
    return {code, bytes_in(status)};
  }
  int call(bool write, bool collective, void* data, MPI_Datatype type, MPI_Status* status) {
    MPI_File const file = file_->get();
    if (write)
      return collective ? MPI_File_write_at_all(file, 0, data, 1, type, status)
                        : MPI_File_write_at(file, 0, data, 1, type, status);
    return collective ? MPI_File_read_at_all(file, 0, data, 1, type, status)
                      : MPI_File_read_at(file, 0, data, 1, type, status);
  }
  // Forced strategies are taken; mapping only where the file system allows it.
  void expect_strategy(const Shape& shape) {
    const std::string used = hint_of(file_->get(), "tributary_strategy_used").value_or("");
    if (shape.strategy == std::string("mapped") && !maps_files()) return;
    EXPECT_TRUE(used.starts_with(shape.strategy)) << used;
  }
  bool maps_files() {
    const std::string name = hint_of(file_->get(), "romio_filesystem_type").value_or("");
    for (const char* local : {"tmpfs", "ext4", "xfs", "btrfs"})
      if (name == std::string("TRIBUTARY: ") + local) return true;
    return false;
  }
  void expect_image(const std::string& expected) {
    barrier();
    EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), expected));
    barrier();
  }
  static std::vector<int> gathered(int value) {
    std::vector<int> values(static_cast<std::size_t>(world_size()));
    MPI_Allgather(&value, 1, MPI_INT, values.data(), 1, MPI_INT, MPI_COMM_WORLD);
    return values;
  }

  TempFile temp_;
  std::unique_ptr<TestFile> file_;
};

std::string trace_of(const Shape& shape, const std::string& rules) {
  return std::string(shape.strategy) + (shape.file_holes ? ", holes in the file" : "") +
         (shape.memory_holes ? ", holes in memory" : "") + ", rules " + rules;
}

// --- what the program must not see ---------------------------------------------------------

class HarmlessFaults : public Faults, public ::testing::WithParamInterface<const char*> {};

TEST_P(HarmlessFaults, AreNotSeen) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(trace_of(shape, GetParam()));
    open(GetParam(), shape.strategy);
    set_view(shape);
    std::string data = data_of(world_rank());
    if (shape.write) {
      const Outcome outcome = access(shape, true, true, data);
      EXPECT_TRUE(succeeded(outcome.code));
      EXPECT_EQ(outcome.moved, kData);
      expect_strategy(shape);
      expect_image(expected_image(shape, gathered(kData)));
    }
    if (shape.read) {
      const std::string before = bytes_of(temp_.path());
      std::string expected(kData, '\0');
      for (int i = 0; i < kData; ++i)
        expected[static_cast<std::size_t>(i)] =
            before[static_cast<std::size_t>(place(shape, world_rank(), i))];
      std::string found(kData, '?');
      const Outcome outcome = access(shape, false, false, found);
      EXPECT_TRUE(succeeded(outcome.code));
      EXPECT_EQ(outcome.moved, kData);
      expect_strategy(shape);
      EXPECT_TRUE(same_bytes(found, expected));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rules, HarmlessFaults,
    ::testing::Values(
        "read:short,write:short", "read:EINTR:every=2,write:EINTR:every=2",
        "read:EINTR:every=3,read:short:every=2,write:EINTR:every=3,write:short:every=2",
        "lock:EINTR:every=2,reserve:EINTR:every=2,map:EINTR:every=2",
        "map:ENOMEM,reserve:EOPNOTSUPP:every=2", "reserve:EOPNOTSUPP", "map:EACCES"),
    [](const auto& test) { return "rule" + std::to_string(test.index); });

TEST_F(Faults, InterruptedManagementIsNotSeen) {
  open(
      "open:EINTR:times=1,sync:EINTR:every=2,resize:EINTR:every=2,reserve:EINTR:every=2,"
      "lock:EINTR:every=2,close:EINTR");
  EXPECT_TRUE(succeeded(MPI_File_set_size(file_->get(), 10)));
  EXPECT_TRUE(succeeded(MPI_File_preallocate(file_->get(), 20)));
  EXPECT_TRUE(succeeded(MPI_File_set_atomicity(file_->get(), 1)));
  expect_usable(file_->get());
  EXPECT_TRUE(succeeded(MPI_File_sync(file_->get())));
  EXPECT_TRUE(succeeded(file_->close()));
}

// Where space cannot be reserved, zeros behind the end do it; the data stays.
TEST_F(Faults, PreallocationWithoutSupport) {
  open("reserve:EOPNOTSUPP,write:short");
  const MPI_Offset size = kRegion * world_size() + 3'000'000;
  EXPECT_TRUE(succeeded(MPI_File_preallocate(file_->get(), size)));
  barrier();
  const std::string image = bytes_of(temp_.path());
  EXPECT_TRUE(same_bytes(image, old_bytes() + std::string(3'000'000, '\0')));
}

// --- errors of transfers -------------------------------------------------------------------

struct ErrorCase {
  const char* name;
  int error_class;
};
const std::vector<ErrorCase>& error_cases() {
  static const std::vector<ErrorCase> cases{
      {"EIO", MPI_ERR_IO},          {"ENOSPC", MPI_ERR_NO_SPACE}, {"EDQUOT", MPI_ERR_QUOTA},
      {"EROFS", MPI_ERR_READ_ONLY}, {"EACCES", MPI_ERR_ACCESS},   {"ENOMEM", MPI_ERR_NO_MEM}};
  return cases;
}

TEST_F(Faults, ClassesOfErrors) {
  const Shape& shape = kShapes[0];
  for (const auto& [name, error_class] : error_cases())
    for (const bool write : {true, false}) {
      SCOPED_TRACE(name);
      open(on_rank((write ? "write:" : "read:") + std::string(name), last()));
      const RecordErrors errors(file_->get());
      set_view(shape);
      std::string data = data_of(world_rank());
      const int code = expect_raised(file_->get(), error_class, name,
                                     [&] { return access(shape, write, true, data).code; });
      EXPECT_TRUE(contains(sentence_of(code), temp_.path())) << sentence_of(code);
    }
}

// A fault in the middle of the last rank's data, in each shape: all ranks get the class of a
// collective call, and the file holds what the statuses count.
class FailingWrites : public Faults, public ::testing::WithParamInterface<bool> {
 protected:
  void check(const Shape& shape, const std::string& rules, int error_class) {
    SCOPED_TRACE(trace_of(shape, rules));
    const bool collective = GetParam();
    open(rules, shape.strategy);
    const RecordErrors errors(file_->get());
    set_view(shape);
    std::string data = data_of(world_rank());
    handler_calls().clear();
    const Outcome outcome = access(shape, true, collective, data);
    expect_strategy(shape);
    if (collective || world_rank() == last()) {
      EXPECT_TRUE(fails_with(outcome.code, error_class));
      EXPECT_EQ(handler_calls().size(), 1U);
    } else {
      EXPECT_TRUE(succeeded(outcome.code));
      EXPECT_TRUE(handler_calls().empty());
    }
    if (world_rank() != last()) {
      EXPECT_EQ(outcome.moved, kData);
    }
    EXPECT_LT(gathered(outcome.moved).back(), kData);
    expect_image(expected_image(shape, gathered(outcome.moved)));
  }
};

TEST_P(FailingWrites, CountWhatWasMoved) {
  for (const Shape& shape : kShapes) {
    if (!shape.write) continue;
    const int middle = place(shape, last(), kData / 2 + 5);
    const std::string after = ":after=" + std::to_string(middle);
    // A mapping fails where its space is reserved; the others where they write.
    const bool mapped = shape.strategy == std::string("mapped");
    check(shape, on_rank((mapped ? "reserve:ENOSPC" : "write:ENOSPC") + after, last()),
          MPI_ERR_NO_SPACE);
    check(shape, on_rank((mapped ? "reserve:EIO" : "write:EIO") + after, last()), MPI_ERR_IO);
  }
}

TEST_P(FailingWrites, AtTheFirstByte) {
  for (const Shape& shape : kShapes) {
    if (!shape.write) continue;
    const bool mapped = shape.strategy == std::string("mapped");
    check(shape, on_rank(mapped ? "reserve:ENOSPC" : "write:ENOSPC", last()), MPI_ERR_NO_SPACE);
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, FailingWrites, ::testing::Bool(), [](const auto& test) {
  return test.param ? "Collective" : "Independent";
});

// Bytes that the status counts are right, those behind them untouched.
TEST_F(Faults, FailingReads) {
  for (const Shape& shape : kShapes)
    for (const bool collective : {true, false}) {
      if (!shape.read) continue;
      const int middle = place(shape, last(), kData / 2 + 5);
      const std::string rules = on_rank("read:EIO:after=" + std::to_string(middle), last());
      SCOPED_TRACE(trace_of(shape, rules));
      open(rules, shape.strategy);
      const RecordErrors errors(file_->get());
      set_view(shape);
      std::string data(kData, '~');
      const Outcome outcome = access(shape, false, collective, data);
      const bool fails = collective || world_rank() == last();
      EXPECT_TRUE(fails ? fails_with(outcome.code, MPI_ERR_IO) : succeeded(outcome.code));
      const std::string old = old_bytes();
      std::string expected(kData, '~');
      for (int i = 0; i < outcome.moved; ++i)
        expected[static_cast<std::size_t>(i)] =
            old[static_cast<std::size_t>(place(shape, world_rank(), i))];
      // A transfer that failed may have filled memory behind what it counts: up to the buffer.
      if (world_rank() != last()) {
        EXPECT_TRUE(same_bytes(data, expected));
      }
      EXPECT_TRUE(same_bytes(data.substr(0, static_cast<std::size_t>(outcome.moved)),
                             expected.substr(0, static_cast<std::size_t>(outcome.moved))));
      if (world_rank() == last()) {
        EXPECT_LT(outcome.moved, kData);
      }
    }
}

TEST_F(Faults, AFailedFileWorksAgain) {
  open(on_rank("write:EIO:times=1", last()));
  std::string data = data_of(world_rank());
  EXPECT_TRUE(fails_with(access(kShapes[0], true, true, data).code, MPI_ERR_IO));
  expect_usable(file_->get());
}

#else

TEST(Faults, Build) {
  GTEST_SKIP() << "this build injects no faults (TRIBUTARY_FAULTS is off)";
}

#endif

}  // namespace
}  // namespace tributary::test
