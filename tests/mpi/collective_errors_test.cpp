// Collective calls in which one rank alone is wrong: every rank gets the same class and its
// handler called once, nobody hangs, and the file works afterwards (mpich issues 6585 and 4939
// are what happens otherwise).
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <string>

#include "access_calls.hpp"
#include "file_fixture.hpp"

namespace tributary::test {
namespace {

constexpr std::size_t kFileBytes = 1000;

class OneRankIsWrong : public ::testing::Test {
 protected:
  void SetUp() override {
    if (world_size() < 2) GTEST_SKIP() << "one rank cannot differ from the others";
  }
  // `call(wrong)`, wrong on the first rank only, then on the last one only.
  template <typename Call>
  void expect_everywhere(int expected_class, const std::string& what, Call call) {
    for (const int wrong_rank : {0, world_size() - 1}) {
      const std::string where = what + " on rank " + std::to_string(wrong_rank);
      watchdog_note("one rank is wrong", expected_class, wrong_rank);
      const int code = expect_raised(file_.get(), expected_class, where,
                                     [&] { return call(world_rank() == wrong_rank); });
      EXPECT_TRUE(same_on_all_ranks(class_of(code))) << where;
      EXPECT_TRUE(contains(sentence_of(code), temp_.path())) << where << ": " << sentence_of(code);
    }
    handler_calls().clear();
    expect_usable(file_.get());
    EXPECT_TRUE(handler_calls().empty()) << what;
  }
  template <typename Call>
  void expect_everywhere_unchanged(int expected_class, const std::string& what, Call call) {
    const std::string before = bytes_of(temp_.path());
    barrier();
    const auto checked = [&](bool wrong) {
      const int code = call(wrong);
      barrier();
      EXPECT_TRUE(same_bytes(bytes_of(temp_.path()), before)) << what;
      barrier();
      return code;
    };
    expect_everywhere(expected_class, what, checked);
    barrier();
    if (world_rank() == 0) put_bytes(temp_.path(), before);
    barrier();
  }

  TempFile temp_{pattern(kFileBytes)};
  TestFile file_{temp_.path(), MPI_MODE_RDWR};
  RecordErrors errors_{file_.get()};
};

struct Arguments {
  MPI_Offset offset;
  void* buffer;
  int count;
  MPI_Datatype type;
};

// The wrong rank's own bytes are never touched; what the others wrote is theirs.
class WrongAccess : public OneRankIsWrong {
 protected:
  void expect_access(int expected_class, const std::string& what, const Arguments& wrong_arguments,
                     bool only_with_offset = false) {
    for (const AccessCall& access : access_calls) {
      if (!access.collective || (only_with_offset && !access.explicit_offset)) continue;
      expect_everywhere(expected_class, what + " in " + access.name, [&](bool wrong) {
        const MPI_Offset at = 300 + 16 * world_rank();
        Arguments mine{at, buffer_.data(), 16, MPI_BYTE};
        if (wrong) mine = wrong_arguments;
        EXPECT_TRUE(succeeded(MPI_File_seek(file_.get(), at, MPI_SEEK_SET)));
        MPI_Status status;
        return access.call(file_.get(), mine.offset, mine.buffer, mine.count, mine.type, &status);
      });
    }
    EXPECT_TRUE(same_bytes(bytes_of(temp_.path()).substr(600), pattern(kFileBytes).substr(600)));
  }

  std::array<char, 64> buffer_{};
};

TEST_F(WrongAccess, NegativeCount) {
  expect_access(MPI_ERR_COUNT, "a negative count", {700, buffer_.data(), -5, MPI_BYTE});
}

TEST_F(WrongAccess, NegativeOffset) {
  expect_access(MPI_ERR_ARG, "a negative offset", {-3, buffer_.data(), 5, MPI_BYTE}, true);
}

TEST_F(WrongAccess, NullBuffer) {
  expect_access(MPI_ERR_BUFFER, "a null buffer", {700, nullptr, 5, MPI_BYTE});
}

TEST_F(WrongAccess, NullDatatype) {
  expect_access(MPI_ERR_TYPE, "a null datatype", {700, buffer_.data(), 5, MPI_DATATYPE_NULL});
}

TEST_F(WrongAccess, ZeroCountsMayDiffer) {
  for (const AccessCall& access : access_calls) {
    if (!access.collective) continue;
    MPI_Status status;
    const int count = world_rank() == 0 ? 0 : 4;
    EXPECT_TRUE(succeeded(
        access.call(file_.get(), 4 * world_rank(), buffer_.data(), count, MPI_BYTE, &status)));
    EXPECT_EQ(bytes_in(status), count) << access.name;
  }
}

TEST_F(OneRankIsWrong, SetSize) {
  expect_everywhere_unchanged(MPI_ERR_NOT_SAME, "another size", [&](bool wrong) {
    return MPI_File_set_size(file_.get(), wrong ? 400 : 500);
  });
  expect_everywhere_unchanged(MPI_ERR_ARG, "a negative size", [&](bool wrong) {
    return MPI_File_set_size(file_.get(), wrong ? -400 : 500);
  });
}

TEST_F(OneRankIsWrong, Preallocate) {
  expect_everywhere_unchanged(MPI_ERR_NOT_SAME, "another size", [&](bool wrong) {
    return MPI_File_preallocate(file_.get(), wrong ? 4000 : 5000);
  });
  expect_everywhere_unchanged(MPI_ERR_ARG, "a negative size", [&](bool wrong) {
    return MPI_File_preallocate(file_.get(), wrong ? -1 : 5000);
  });
}

TEST_F(OneRankIsWrong, SetView) {
  const TempType overlapping(
      [](MPI_Datatype* type) { MPI_Type_create_hvector(3, 4, 2, MPI_BYTE, type); });
  const auto view = [&](MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                        const char* datarep) {
    return MPI_File_set_view(file_.get(), displacement, etype, filetype, datarep, MPI_INFO_NULL);
  };
  expect_everywhere_unchanged(MPI_ERR_TYPE, "an overlapping file type", [&](bool wrong) {
    return view(0, MPI_BYTE, wrong ? overlapping.get() : MPI_BYTE, "native");
  });
  expect_everywhere_unchanged(MPI_ERR_TYPE, "a null etype", [&](bool wrong) {
    return view(0, wrong ? MPI_DATATYPE_NULL : MPI_INT, MPI_INT, "native");
  });
  expect_everywhere_unchanged(MPI_ERR_ARG, "a negative displacement", [&](bool wrong) {
    return view(wrong ? -8 : 8, MPI_BYTE, MPI_BYTE, "native");
  });
  expect_everywhere_unchanged(MPI_ERR_UNSUPPORTED_DATAREP, "a bad representation", [&](bool wrong) {
    return view(0, MPI_BYTE, MPI_BYTE, wrong ? "wrong" : "native");
  });
  expect_everywhere_unchanged(MPI_ERR_NOT_SAME, "an etype of another size", [&](bool wrong) {
    return view(0, wrong ? MPI_SHORT : MPI_INT, MPI_INT, "native");
  });
}

// A refused view leaves each rank with the view that it had.
TEST_F(OneRankIsWrong, SetViewKeepsTheOldViews) {
  const MPI_Offset mine = 10 + world_rank();
  EXPECT_TRUE(
      succeeded(MPI_File_set_view(file_.get(), mine, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL)));
  const bool wrong = world_rank() == world_size() - 1;
  MPI_File_set_view(file_.get(), wrong ? -1 : 500, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_Offset place = -1;
  EXPECT_TRUE(succeeded(MPI_File_get_byte_offset(file_.get(), 0, &place)));
  EXPECT_EQ(place, mine);
}

TEST_F(OneRankIsWrong, SetAtomicity) {
  expect_everywhere_unchanged(MPI_ERR_NOT_SAME, "another atomicity", [&](bool wrong) {
    return MPI_File_set_atomicity(file_.get(), wrong ? 1 : 0);
  });
  int atomic = -1;
  EXPECT_TRUE(succeeded(MPI_File_get_atomicity(file_.get(), &atomic)));
  EXPECT_EQ(atomic, 0);
}

TEST_F(OneRankIsWrong, DisjointErrorsGiveOneClass) {
  MPI_Status status;
  std::array<char, 8> buffer{};
  const int count = world_rank() == 0 ? -1 : 8;
  void* const data = world_rank() == 1 ? nullptr : buffer.data();
  handler_calls().clear();
  const int code = MPI_File_write_at_all(file_.get(), 0, data, count, MPI_BYTE, &status);
  EXPECT_NE(code, MPI_SUCCESS);
  EXPECT_TRUE(same_on_all_ranks(class_of(code)));
  EXPECT_EQ(handler_calls().size(), 1U);
  expect_usable(file_.get());
}

}  // namespace
}  // namespace tributary::test
