// Large things: single transfers that the kernel cuts at 2,147,479,552 bytes, places beyond 2^31,
// datatypes of a million blocks and of 10^12 bytes, and the large-count binding where the MPI
// has it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "own_file.hpp"

namespace tributary::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// Zeroed memory that costs nothing until it is touched.
class Pages {
 public:
  explicit Pages(std::size_t size) : size_(size) {
    void* const start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    words_ = start == MAP_FAILED ? nullptr : static_cast<std::uint64_t*>(start);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    if (words_ != nullptr) ::munmap(words_, size_);
  }
  std::uint64_t* words() const { return words_; }
  std::size_t count() const { return size_ / sizeof(std::uint64_t); }
  void clear() { ::madvise(words_, size_, MADV_DONTNEED); }

 private:
  std::size_t size_;
  std::uint64_t* words_ = nullptr;
};

bool in_memory(const std::string& path) {
  constexpr long kTmpfs = 0x01021994;
  struct statfs info {};
  return ::statfs(path.c_str(), &info) == 0 && info.f_type == kTmpfs;
}

TEST(Large, OneTransferOfMoreThanTwoGigabytes) {
  if (kSanitized) GTEST_SKIP() << "too slow with sanitizers";
  if (!in_memory(test_options().directory)) GTEST_SKIP() << "only for files in memory";
  if (world_size() > 1) GTEST_SKIP() << "one rank is enough";
  constexpr MPI_Count bytes = MPI_Count{2100} << 20;
  const TempFile temp;
  Pages pages(static_cast<std::size_t>(bytes));
  ASSERT_NE(pages.words(), nullptr);
  for (std::size_t i = 0; i < pages.count(); ++i) pages.words()[i] = i * 0x9e3779b97f4a7c15;
  const TempType mebibyte([](MPI_Datatype* made) { MPI_Type_contiguous(1 << 20, MPI_BYTE, made); });
  const TestFile file(temp.path(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Status status;
  MPI_Count moved = -1;
  EXPECT_TRUE(
      succeeded(MPI_File_write_at(file.get(), 3, pages.words(), 2100, mebibyte.get(), &status)));
  MPI_Get_elements_x(&status, MPI_BYTE, &moved);
  EXPECT_EQ(moved, bytes);
  watchdog_note("2.2 GB are written");
  MPI_Offset size = 0;
  EXPECT_TRUE(succeeded(MPI_File_get_size(file.get(), &size)));
  EXPECT_EQ(size, 3 + bytes);
  pages.clear();
  EXPECT_TRUE(
      succeeded(MPI_File_read_at(file.get(), 3, pages.words(), 2100, mebibyte.get(), &status)));
  MPI_Get_elements_x(&status, MPI_BYTE, &moved);
  EXPECT_EQ(moved, bytes);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < pages.count(); ++i)
    if (pages.words()[i] != i * 0x9e3779b97f4a7c15) ++wrong;
  EXPECT_EQ(wrong, 0U) << "words that differ";
}

// Positions and offsets over 2^31 etypes, without the data.
TEST(Large, PlacesBeyondTwoGigabytes) {
  const TempFile temp;
  const TestFile file(temp.path(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  const MPI_Offset far = 6'000'000'000 + 100 * world_rank();
  const TempType tile([](MPI_Datatype* made) { MPI_Type_create_resized(MPI_INT, 0, 10, made); });
  EXPECT_TRUE(
      succeeded(MPI_File_set_view(file.get(), 1, MPI_INT, tile.get(), "native", MPI_INFO_NULL)));
  EXPECT_TRUE(succeeded(MPI_File_seek(file.get(), far, MPI_SEEK_SET)));
  std::vector<int> data{11, 12, 13};
  EXPECT_TRUE(
      succeeded(MPI_File_write_all(file.get(), data.data(), 3, MPI_INT, MPI_STATUS_IGNORE)));
  MPI_Offset position = 0;
  EXPECT_TRUE(succeeded(MPI_File_get_position(file.get(), &position)));
  EXPECT_EQ(position, far + 3);
  MPI_Offset size = 0;
  EXPECT_TRUE(succeeded(MPI_File_sync(file.get())));
  EXPECT_TRUE(succeeded(MPI_File_get_size(file.get(), &size)));
  EXPECT_EQ(size, 1 + (6'000'000'000 + 100 * (world_size() - 1) + 2) * 10 + 4);
  EXPECT_TRUE(
      succeeded(MPI_File_set_view(file.get(), 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL)));
  for (int i = 0; i < 3; ++i) {
    int found = 0;
    EXPECT_TRUE(succeeded(
        MPI_File_read_at(file.get(), 1 + (far + i) * 10, &found, 1, MPI_INT, MPI_STATUS_IGNORE)));
    EXPECT_EQ(found, 11 + i);
  }
}

// --- huge types ----------------------------------------------------------------------------

// Processor time of this process, so that a busy machine does not matter.
class Stopwatch {
 public:
  double seconds() const {
    return static_cast<double>(std::clock() - start_) / static_cast<double>(CLOCKS_PER_SEC);
  }

 private:
  std::clock_t start_ = std::clock();
};

constexpr double kPatience = kSanitized ? 20 : 1;

using HugeTypes = OwnFile;

// 10^12 elements, of which a block of 5000^3 is seen. Far enough to be impossible in memory.
TEST_F(HugeTypes, HugeSubarray) {
  const Stopwatch stopwatch;
  const int sizes[] = {10000, 10000, 10000};
  const int parts[] = {5000, 5000, 5000};
  const int from[] = {2500, 1000, 4000};
  MPI_Datatype cube = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, sizes, parts, from, MPI_ORDER_C, MPI_BYTE, &cube);
  MPI_Type_commit(&cube);
  view(0, MPI_BYTE, cube);
  MPI_Type_free(&cube);
  const auto element = [](MPI_Offset i, MPI_Offset j, MPI_Offset k) {
    return (i * 5000 + j) * 5000 + k;
  };
  const auto byte = [](MPI_Offset i, MPI_Offset j, MPI_Offset k) {
    return ((i + 2500) * 10000 + j + 1000) * 10000 + k + 4000;
  };
  EXPECT_EQ(place(0), byte(0, 0, 0));
  EXPECT_EQ(place(element(4999, 4999, 4999)), byte(4999, 4999, 4999));
  EXPECT_EQ(place(element(1234, 567, 4321)), byte(1234, 567, 4321));
  EXPECT_EQ(place(MPI_Offset{5000} * 5000 * 5000), byte(0, 0, 0) + 1'000'000'000'000);
  // Two rows meet in this access.
  const std::string data = pattern(20, 3);
  write(data.data(), 20, MPI_BYTE, element(4000, 321, 4990));
  const int descriptor = ::open(path_.c_str(), O_RDONLY);
  std::string found(20, '\0');
  EXPECT_EQ(::pread(descriptor, found.data(), 10, byte(4000, 321, 4990)), 10);
  EXPECT_EQ(::pread(descriptor, found.data() + 10, 10, byte(4000, 322, 0)), 10);
  ::close(descriptor);
  EXPECT_TRUE(same_bytes(found, data));
  EXPECT_LT(stopwatch.seconds(), 0.1 * kPatience);
}

TEST_F(HugeTypes, AMillionBlocks) {
  constexpr int blocks = 1'000'000;
  std::vector<int> lengths(blocks);
  std::vector<MPI_Aint> displacements(blocks);
  std::vector<MPI_Offset> first(blocks + 1, 0);  // data bytes before block i
  for (std::size_t i = 0; i < blocks; ++i) {
    lengths[i] = 1 + static_cast<int>(i % 4);
    displacements[i] = static_cast<MPI_Aint>(16 * i + i % 3);
    first[i + 1] = first[i] + lengths[i];
  }
  MPI_Datatype many = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(blocks, lengths.data(), displacements.data(), MPI_BYTE, &many);
  MPI_Type_commit(&many);
  const Stopwatch stopwatch;
  view(5, MPI_BYTE, many);
  for (const std::size_t i :
       {std::size_t{0}, std::size_t{1}, std::size_t{777'777}, std::size_t{blocks - 1}})
    EXPECT_EQ(place(first[i]), 5 + displacements[i]);
  const std::string data = pattern(3, 5);
  write(data.data(), 3, MPI_BYTE, first[999'998]);  // the whole block of length 3
  EXPECT_LT(stopwatch.seconds(), 0.5 * kPatience);
  MPI_Type_free(&many);
  std::string found(3, '\0');
  view(0, MPI_BYTE, MPI_BYTE);
  read(found.data(), 3, MPI_BYTE, 5 + displacements[999'998]);
  EXPECT_TRUE(same_bytes(found, data));
}

// --- the large-count binding ---------------------------------------------------------------

#if MPI_VERSION >= 4

class LargeCounts : public ::testing::Test {
 protected:
  TempFile temp_{std::string(200, '.')};
  TestFile file_{temp_.path(), MPI_MODE_RDWR, MPI_INFO_NULL, MPI_COMM_SELF};
};

TEST_F(LargeCounts, Access) {
  if (world_rank() != 0) return;
  const std::string data = pattern(12);
  std::string found(12, '\0');
  MPI_Status status;
  EXPECT_TRUE(succeeded(MPI_File_write_at_c(file_.get(), 5, data.data(), 12, MPI_BYTE, &status)));
  EXPECT_EQ(bytes_in(status), 12);
  EXPECT_TRUE(succeeded(MPI_File_read_at_c(file_.get(), 5, found.data(), 12, MPI_BYTE, &status)));
  EXPECT_TRUE(same_bytes(found, data));
  EXPECT_TRUE(succeeded(MPI_File_write_c(file_.get(), data.data(), 3, MPI_INT, &status)));
  EXPECT_TRUE(succeeded(MPI_File_seek(file_.get(), 0, MPI_SEEK_SET)));
  EXPECT_TRUE(succeeded(MPI_File_read_c(file_.get(), found.data(), 3, MPI_INT, &status)));
  EXPECT_TRUE(same_bytes(found, data));
  EXPECT_TRUE(
      succeeded(MPI_File_write_at_all_c(file_.get(), 40, data.data(), 12, MPI_BYTE, &status)));
  EXPECT_TRUE(
      succeeded(MPI_File_read_at_all_c(file_.get(), 40, found.data(), 12, MPI_BYTE, &status)));
  EXPECT_TRUE(succeeded(MPI_File_write_all_c(file_.get(), data.data(), 12, MPI_BYTE, &status)));
  EXPECT_TRUE(succeeded(MPI_File_seek(file_.get(), 12, MPI_SEEK_SET)));
  EXPECT_TRUE(succeeded(MPI_File_read_all_c(file_.get(), found.data(), 12, MPI_BYTE, &status)));
  EXPECT_TRUE(same_bytes(found, data));
  const RecordErrors errors(file_.get());
  expect_raised(file_.get(), MPI_ERR_COUNT, "a negative count", [&] {
    return MPI_File_write_at_c(file_.get(), 0, data.data(), -1, MPI_BYTE, &status);
  });
  expect_raised(file_.get(), MPI_ERR_COUNT, "a huge count", [&] {
    return MPI_File_write_at_c(file_.get(), 0, data.data(), MPI_Count{1} << 62, MPI_INT, &status);
  });
}

// Every constructor in its large form, as a file type: the bytes of `expected` that are not '.'.
void expect_selects(MPI_File file, const std::string& path, MPI_Datatype made, const char* what,
                    const std::string& expected) {
  MPI_Type_commit(&made);
  put_bytes(path, std::string(expected.size(), '.'));
  EXPECT_TRUE(succeeded(MPI_File_set_view(file, 0, MPI_BYTE, made, "native", MPI_INFO_NULL)))
      << what;
  MPI_Type_free(&made);
  std::string data;
  for (const char c : expected)
    if (c != '.') data += c;
  EXPECT_TRUE(succeeded(MPI_File_write_at(file, 0, data.data(), static_cast<int>(data.size()),
                                          MPI_BYTE, MPI_STATUS_IGNORE)))
      << what;
  EXPECT_TRUE(same_bytes(bytes_of(path), expected)) << what;
}

TEST_F(LargeCounts, Datatypes) {
  if (world_rank() != 0) return;
  const auto check = [&](const char* what, const std::string& expected, auto make) {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    EXPECT_EQ(make(&made), MPI_SUCCESS) << what;
    expect_selects(file_.get(), temp_.path(), made, what, expected);
  };
  using Type = MPI_Datatype;
  const MPI_Count lengths[] = {1, 2, 0, 1};
  const MPI_Count places[] = {1, 4, 5, 8};
  const MPI_Datatype types[] = {MPI_BYTE, MPI_SHORT, MPI_BYTE, MPI_BYTE};
  const MPI_Count sizes[] = {3, 4};
  const MPI_Count parts[] = {2, 2};
  const MPI_Count from[] = {1, 1};
  check("contiguous", "abc", [](Type* t) { return MPI_Type_contiguous_c(3, MPI_BYTE, t); });
  check("vector", "ab..cd..ef", [](Type* t) { return MPI_Type_vector_c(3, 1, 2, MPI_SHORT, t); });
  check("hvector", "a..b..c",
        [](Type* t) { return MPI_Type_create_hvector_c(3, 1, 3, MPI_BYTE, t); });
  check("indexed", ".a..bc..d",
        [&](Type* t) { return MPI_Type_indexed_c(4, lengths, places, MPI_BYTE, t); });
  check("hindexed", ".a..bc..d",
        [&](Type* t) { return MPI_Type_create_hindexed_c(4, lengths, places, MPI_BYTE, t); });
  check("indexed_block", "..ab....cdef....gh", [](Type* t) {
    const MPI_Count at[] = {1, 4, 5, 8};
    return MPI_Type_create_indexed_block_c(4, 1, at, MPI_SHORT, t);
  });
  check("hindexed_block", ".a..bc..d",
        [&](Type* t) { return MPI_Type_create_hindexed_block_c(4, 1, places, MPI_BYTE, t); });
  check("struct", ".a..bcdef",
        [&](Type* t) { return MPI_Type_create_struct_c(4, lengths, places, types, t); });
  check("resized", "a...b...c", [&](Type* t) {
    Type inner = MPI_DATATYPE_NULL;
    MPI_Type_create_resized_c(MPI_BYTE, 0, 4, &inner);
    const int code = MPI_Type_contiguous_c(3, inner, t);
    MPI_Type_free(&inner);
    return code;
  });
  check("subarray", ".....ab..cd.", [&](Type* t) {
    return MPI_Type_create_subarray_c(2, sizes, parts, from, MPI_ORDER_C, MPI_BYTE, t);
  });
  check("darray", "ab..cd..ef..", [&](Type* t) {
    const int distributions[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    const int grid[] = {1, 2};
    return MPI_Type_create_darray_c(2, 0, 2, sizes, distributions, arguments, grid, MPI_ORDER_C,
                                    MPI_BYTE, t);
  });
}

// One element of a type that is larger than an int can say, in a file that has only its end.
TEST_F(LargeCounts, ATypeOfTerabytes) {
  if (world_rank() != 0) return;
  constexpr MPI_Count tebi = MPI_Count{1} << 40;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const MPI_Count lengths[] = {4, 4};
  const MPI_Count places[] = {0, 3 * tebi};
  MPI_Type_create_hindexed_c(2, lengths, places, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  EXPECT_TRUE(
      succeeded(MPI_File_set_view(file_.get(), 0, MPI_BYTE, type, "native", MPI_INFO_NULL)));
  MPI_Type_free(&type);
  MPI_Offset place = 0;
  EXPECT_TRUE(succeeded(MPI_File_get_byte_offset(file_.get(), 5, &place)));
  EXPECT_EQ(place, 3 * tebi + 1);
  EXPECT_TRUE(succeeded(MPI_File_get_byte_offset(file_.get(), 8, &place)));
  EXPECT_EQ(place, 3 * tebi + 4);
}

#else

TEST(LargeCounts, Binding) {
  GTEST_SKIP() << "this MPI has no large-count binding";
}

#endif

}  // namespace
}  // namespace tributary::test
