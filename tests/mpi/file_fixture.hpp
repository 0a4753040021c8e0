// What the tests of files share: names that all ranks agree on, files that are closed and removed
// at the end, a recording error handler, and a look at what must not change when a call fails.
//
// Rules for tests on several ranks: a rank must not leave a test before the others are done with
// a collective call, so only EXPECT_ stands between collective calls; ASSERT_ is for conditions
// that are alike on all ranks.
#pragma once

#include <dirent.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi_test.hpp"

namespace tributary::test {

// --- error codes ---------------------------------------------------------------------------

inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

inline std::string sentence_of(int code) {
  std::vector<char> text(MPI_MAX_ERROR_STRING + 1, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline ::testing::AssertionResult succeeded(int code) {
  if (code == MPI_SUCCESS) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "error class " << class_of(code) << ": " << sentence_of(code);
}

inline ::testing::AssertionResult fails_with(int code, int expected_class) {
  if (class_of(code) == expected_class) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "error class " << class_of(code) << " (" << sentence_of(code) << "), must be "
         << expected_class << " (" << sentence_of(expected_class) << ")";
}

// Collective: the same number on every rank?
inline bool same_on_all_ranks(std::int64_t value) {
  std::int64_t ends[2] = {value, -value};
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return ends[0] == -ends[1];
}

inline void barrier() {
  MPI_Barrier(MPI_COMM_WORLD);
}

// --- bytes on disk -------------------------------------------------------------------------

// Bytes that differ from their neighbours, and between seeds.
inline std::string pattern(std::size_t size, unsigned seed = 0) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>(1 + (i * 7 + i / 251 + seed * 101) % 251);
  return bytes;
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline bool exists(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0;
}

// Where two byte strings differ, for messages that can be read.
inline ::testing::AssertionResult same_bytes(const std::string& found,
                                             const std::string& expected) {
  if (found == expected) return ::testing::AssertionSuccess();
  const auto [at, other] =
      std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  ::testing::AssertionResult result = ::testing::AssertionFailure();
  result << found.size() << " bytes, must be " << expected.size() << "; first difference at byte "
         << at - found.begin();
  if (at != found.end() && other != expected.end())
    result << ": " << int{*at} << ", must be " << int{*other};
  return result;
}

// A path of the running test, the same on every rank and never used before.
inline std::string fresh_path() {
  static int number = 0;
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name =
      std::string(info->test_suite_name()) + "." + info->name() + "." + std::to_string(number++);
  std::replace(name.begin(), name.end(), '/', '_');
  return test_path(name);
}

// A path and, if it is given content, a file there; removed at the end. Collective.
class TempFile {
 public:
  explicit TempFile(const std::optional<std::string>& content = std::nullopt)
      : path_(fresh_path()) {
    if (content && world_rank() == 0) put_bytes(path_, *content);
    barrier();
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() {
    barrier();
    if (world_rank() == 0) ::unlink(path_.c_str());
    barrier();
  }
  const std::string& path() const { return path_; }
  const char* c_str() const { return path_.c_str(); }

 private:
  std::string path_;
};

// --- MPI objects ---------------------------------------------------------------------------

class TempInfo {
 public:
  TempInfo(std::initializer_list<std::pair<const char*, const char*>> pairs = {}) {
    MPI_Info_create(&info_);
    for (const auto& [key, value] : pairs) MPI_Info_set(info_, key, value);
  }
  TempInfo(const TempInfo&) = delete;
  TempInfo& operator=(const TempInfo&) = delete;
  ~TempInfo() { MPI_Info_free(&info_); }
  MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

// A derived type; committed at once, freed at the end.
class TempType {
 public:
  template <typename Make>
  explicit TempType(Make make) {
    make(&type_);
    MPI_Type_commit(&type_);
  }
  TempType(const TempType&) = delete;
  TempType& operator=(const TempType&) = delete;
  ~TempType() { free(); }
  MPI_Datatype get() const { return type_; }
  void free() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// An open file; closed at the end. Collective over `comm`.
class TestFile {
 public:
  TestFile(const std::string& path, int amode, MPI_Info info = MPI_INFO_NULL,
           MPI_Comm comm = MPI_COMM_WORLD) {
    EXPECT_TRUE(succeeded(MPI_File_open(comm, path.c_str(), amode, info, &file_))) << path;
  }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  ~TestFile() {
    if (file_ != MPI_FILE_NULL) {
      EXPECT_TRUE(succeeded(close()));
    }
  }
  MPI_File get() const { return file_; }
  int close() { return MPI_File_close(&file_); }

 private:
  MPI_File file_ = MPI_FILE_NULL;
};

inline int bytes_in(const MPI_Status& status) {
  int count = -1;
  MPI_Get_count(&status, MPI_BYTE, &count);
  return count;
}

// The value of a key of MPI_File_get_info; nothing if it has no such key.
inline std::optional<std::string> hint_of(MPI_File file, const char* key) {
  MPI_Info info = MPI_INFO_NULL;
  EXPECT_TRUE(succeeded(MPI_File_get_info(file, &info)));
  std::vector<char> value(MPI_MAX_INFO_VAL + 1, '\0');
  int found = 0;
  MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value.data(), &found);
  MPI_Info_free(&info);
  return found != 0 ? std::optional<std::string>(value.data()) : std::nullopt;
}

// --- environment of the process ------------------------------------------------------------

// Sets a variable, or takes it away, until the end of the block.
class TempVariable {
 public:
  TempVariable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  TempVariable(const TempVariable&) = delete;
  TempVariable& operator=(const TempVariable&) = delete;
  ~TempVariable() { set(old_); }

 private:
  void set(const std::optional<std::string>& value) {
    if (value)
      ::setenv(name_, value->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> old_;
};

// A rule of TRIBUTARY_FAULTS for one rank (src/storage/faulty.hpp).
inline std::string on_rank(const std::string& rule, int rank) {
  return rule + ":rank=" + std::to_string(rank);
}

inline int open_descriptors() {
  int count = 0;
  DIR* directory = ::opendir("/proc/self/fd");
  while (directory != nullptr && ::readdir(directory) != nullptr) ++count;
  if (directory != nullptr) ::closedir(directory);
  return count;
}

// --- error handlers ------------------------------------------------------------------------

struct HandlerCall {
  MPI_File file;
  int code;
};

inline std::vector<HandlerCall>& handler_calls() {
  static std::vector<HandlerCall> calls;
  return calls;
}

inline void record_call(MPI_File* file, int* code, ...) {
  handler_calls().push_back({*file, *code});
}

// Records the errors of a file, or of MPI_FILE_NULL, and returns them to the caller.
class RecordErrors {
 public:
  explicit RecordErrors(MPI_File file) : file_(file) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    EXPECT_TRUE(succeeded(MPI_File_create_errhandler(record_call, &handler)));
    EXPECT_TRUE(succeeded(MPI_File_set_errhandler(file, handler)));
    MPI_Errhandler_free(&handler);
  }
  RecordErrors(const RecordErrors&) = delete;
  RecordErrors& operator=(const RecordErrors&) = delete;
  ~RecordErrors() { MPI_File_set_errhandler(file_, MPI_ERRORS_RETURN); }

 private:
  MPI_File file_;
};

// `call` must fail with the class, and call the recording handler once, with this handle and code.
template <typename Call>
int expect_raised(MPI_File file, int expected_class, const std::string& what, Call call) {
  handler_calls().clear();
  const int code = call();
  EXPECT_TRUE(fails_with(code, expected_class)) << what;
  EXPECT_EQ(handler_calls().size(), 1U) << what << ": calls of the error handler";
  for (const HandlerCall& one : handler_calls()) {
    EXPECT_EQ(one.file, file) << what << ": handle given to the error handler";
    EXPECT_EQ(one.code, code) << what << ": code given to the error handler";
  }
  return code;
}

// As expect_raised, and nothing on disk and no descriptor changes; the sentence names the file.
template <typename Call>
void expect_refused(MPI_File file, const std::string& path, int expected_class,
                    const std::string& what, Call call) {
  const std::string before = bytes_of(path);
  const int descriptors = open_descriptors();
  const int code = expect_raised(file, expected_class, what, call);
  EXPECT_EQ(open_descriptors(), descriptors) << what << ": open descriptors";
  EXPECT_TRUE(same_bytes(bytes_of(path), before)) << what;
  EXPECT_TRUE(contains(sentence_of(code), path)) << what << ": '" << sentence_of(code) << "'";
}

// Collective: every rank writes and reads back its own part of a file opened for both.
inline void expect_usable(MPI_File file) {
  EXPECT_TRUE(succeeded(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL)));
  const std::string written = pattern(64, static_cast<unsigned>(world_rank()) + 50);
  std::string read(written.size(), '\0');
  const MPI_Offset at = 64 * world_rank();
  MPI_Status status;
  EXPECT_TRUE(succeeded(MPI_File_write_at_all(file, at, written.data(), 64, MPI_BYTE, &status)));
  EXPECT_EQ(bytes_in(status), 64);
  EXPECT_TRUE(succeeded(MPI_File_read_at_all(file, at, read.data(), 64, MPI_BYTE, &status)));
  EXPECT_EQ(bytes_in(status), 64);
  EXPECT_TRUE(same_bytes(read, written));
}

}  // namespace tributary::test
