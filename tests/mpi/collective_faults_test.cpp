// Storage that fails under an aggregator: whichever one, in whichever cycle, every rank returns the
// same class, nobody hangs (the watchdog would end the test), bytes outside what failed are
// right, and the handle works again.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

#include "file_fixture.hpp"

namespace tributary::test {
namespace {

#ifdef TRIBUTARY_FAULTS

constexpr int kCycle = 400;  // bytes of a cycle
constexpr int kCycles = 4;   // of each aggregator

struct Fault {
  const char* name;
  int error_class;
};

class CollectiveFaults : public ::testing::TestWithParam<const char*> {
 protected:
  static int aggregators() { return std::min(world_size(), 3); }
  static int total() { return kCycle * kCycles * aggregators(); }
  static std::string old_bytes() { return pattern(static_cast<std::size_t>(total()), 40); }
  static std::string new_bytes() { return pattern(static_cast<std::size_t>(total()), 41); }
  static int turn() { return 10 * world_size(); }

  // Every rank has 10 bytes in turn; the last ones fill up what is left.
  static std::string mine(const std::string& image) {
    std::string data;
    for (int at = 10 * world_rank(); at < total(); at += turn())
      data += image.substr(static_cast<std::size_t>(at), 10);
    return data;
  }

  void run(const std::string& operation, const Fault& fault, int aggregator, int cycle,
           const char* schedule) {
    const bool writing = operation == "write";
    const int from = (aggregator * kCycles + cycle) * kCycle;
    const std::string rule =
        on_rank(operation + ":" + fault.name + ":after=" + std::to_string(from), aggregator);
    SCOPED_TRACE(rule + " " + schedule + " " + GetParam());
    const TempFile temp(old_bytes());
    {
      const TempVariable faults("TRIBUTARY_FAULTS", rule + ":times=1");
      const TempInfo info({{"tributary_collective", "two_phase"},
                           {"tributary_partitioning", "even"},
                           {"tributary_shuffle", GetParam()},
                           {"tributary_schedule", schedule},
                           {"tributary_sub_buffers", "2"},
                           {"cb_buffer_size", "800"},
                           {"cb_nodes", "3"}});
      TestFile file(temp.path(), MPI_MODE_RDWR, info.get());
      const RecordErrors errors(file.get());
      set_view(file.get());
      std::string data = mine(new_bytes());
      const int bytes = static_cast<int>(data.size());
      expect_raised(file.get(), fault.error_class, rule, [&] {
        return writing ? MPI_File_write_at_all(file.get(), 0, data.data(), bytes, MPI_BYTE,
                                               MPI_STATUS_IGNORE)
                       : MPI_File_read_at_all(file.get(), 0, data.data(), bytes, MPI_BYTE,
                                              MPI_STATUS_IGNORE);
      });
      EXPECT_TRUE(hint_of(file.get(), "tributary_collective_used")->starts_with("two_phase"));
      barrier();
      check_image(bytes_of(temp.path()), writing, aggregator, from);
      barrier();
      check_again(file.get());
    }
  }

  static void set_view(MPI_File file) {
    const TempType turns([](MPI_Datatype* type) {
      MPI_Datatype block = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(10, MPI_BYTE, &block);
      MPI_Type_create_resized(block, 0, turn(), type);
      MPI_Type_free(&block);
    });
    EXPECT_TRUE(succeeded(MPI_File_set_view(file, 10 * world_rank(), MPI_BYTE, turns.get(),
                                            "native", MPI_INFO_NULL)));
  }

  // Other aggregators' domains are new, this one's up to the failure too, nothing is garbage.
  static void check_image(const std::string& image, bool writing, int aggregator, int from) {
    const std::string old = old_bytes();
    const std::string fresh = new_bytes();
    const int begin = aggregator * kCycles * kCycle;
    const int end = begin + kCycles * kCycle;
    for (int i = 0; i < total(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool written = writing && (i < from || i >= end);
      const bool open_question = writing && i >= from && i < end;
      if (written) {
        ASSERT_EQ(image[at], fresh[at]) << i;
      } else if (!open_question) {
        ASSERT_EQ(image[at], old[at]) << i;
      } else {
        ASSERT_TRUE(image[at] == old[at] || image[at] == fresh[at]) << i;
      }
    }
  }

  // The fault is over: the same call succeeds on the same handle.
  static void check_again(MPI_File file) {
    const std::string data = mine(new_bytes());
    const int bytes = static_cast<int>(data.size());
    MPI_Status status;
    EXPECT_TRUE(succeeded(MPI_File_write_at_all(file, 0, data.data(), bytes, MPI_BYTE, &status)));
    EXPECT_EQ(bytes_in(status), bytes);
    std::string back(data.size(), '\0');
    EXPECT_TRUE(succeeded(MPI_File_read_at_all(file, 0, back.data(), bytes, MPI_BYTE, &status)));
    EXPECT_EQ(bytes_in(status), bytes);
    EXPECT_TRUE(same_bytes(back, data));
  }
};

TEST_P(CollectiveFaults, AnyAggregatorAnyCycle) {
  if (world_size() < 2) GTEST_SKIP() << "takes two ranks";
  for (int aggregator = 0; aggregator < aggregators(); ++aggregator)
    for (int cycle = 0; cycle < kCycles; ++cycle)
      for (const char* const schedule : {"none", "comm", "write", "write_comm", "write_comm_2"}) {
        run("write", {"EIO", MPI_ERR_IO}, aggregator, cycle, schedule);
        run("write", {"ENOSPC", MPI_ERR_NO_SPACE}, aggregator, cycle, schedule);
        run("read", {"EIO", MPI_ERR_IO}, aggregator, cycle, schedule);
      }
}

INSTANTIATE_TEST_SUITE_P(Shuffles, CollectiveFaults,
                         ::testing::Values("two_sided", "one_sided_fence", "one_sided_lock",
                                           "shared"),
                         [](const auto& test) { return std::string(test.param); });

#else

TEST(CollectiveFaults, Build) {
  GTEST_SKIP() << "this build injects no faults (TRIBUTARY_FAULTS is off)";
}

#endif

}  // namespace
}  // namespace tributary::test
