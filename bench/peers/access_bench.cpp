// Runs one access pattern of access_cases.cpp through MPI-IO and prints one line of JSON: the best
// seconds of writing over existing data, of reading it back, and with --fresh of making a new file
// (open, view, write, close). Links with libmpi only: whose MPI-IO answers is the launcher's
// choice, and the line says whether it was Tributary's. compare.py is the caller.
//
// With --limit the same bytes go through pwrite and pread from contiguous buffers by the same
// processes, and through memcpy: what no MPI-IO is expected to beat by much.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "access_cases.hpp"
#include "plain_file.hpp"
#include "rendezvous.hpp"

namespace tributary::bench {
namespace {

constexpr const char* kUsage =
    "usage: access_bench --case NAME --file PATH [--bytes N] [--reps N] [--seconds S]\n"
    "                    [--collective] [--fresh] [--limit] [--prefill N] [--keep]\n"
    "       access_bench --list\n"
    "  --bytes N     payload of all ranks together (the case has a default)\n"
    "  --reps N      at most N repetitions of a phase (default 5)\n"
    "  --seconds S   no further repetition after S seconds in a phase (default 1)\n"
    "  --collective  use the _all calls\n"
    "  --fresh       time the making of a new file too\n"
    "  --limit       plain pwrite, pread and memcpy of the same bytes instead of MPI-IO\n"
    "  --prefill N   make the file that is written over by plain writes of N bytes (default: by "
    "one\n"
    "                untimed write of the case itself); file systems remember the size of writes\n"
    "  --keep        leave the file behind\n";

constexpr std::uint32_t kFreshSalt = 1;
constexpr std::uint32_t kRewriteSalt = 2;
constexpr std::uint8_t kGuard = 0xEE;  // in the buffer before a read, also between the pieces

struct Options {
  const Case* test = nullptr;
  std::string path;
  std::int64_t bytes = 0;
  std::int64_t prefill_bytes = 0;  // 0: the implementation itself makes the file
  int reps = 5;
  double seconds = 1;
  bool collective = false;
  bool fresh = false;
  bool limit = false;
  bool keep = false;
};

struct Figures {
  Seconds write;
  Seconds read;
  Seconds fresh;
  Seconds setup;  // open and set_view of the file that is written over
  Seconds memcpy;
  std::int64_t wrong_bytes = 0;
  std::int64_t fresh_gap_bytes = 0;  // not zero where nobody wrote into the new file: MPI allows it
  bool tributary = false;
  std::string write_used;  // how Tributary did it, and why
  std::string read_used;
};

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail(std::string(call) + ": " + text);
}

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options), meeting_(MPI_COMM_WORLD) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    const std::int64_t total = options.bytes > 0 ? options.bytes : options.test->mebibytes << 20;
    access_ = options.test->build({rank_, ranks_, total / ranks_, options.test->unit_bytes});
    payload_ = access_.file.layout.payload_bytes();
    MPI_Allreduce(&payload_, &total_, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    std::int64_t end = access_.file.layout.end();
    MPI_Allreduce(&end, &file_end_, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    buffer_.resize(static_cast<std::size_t>(access_.memory.layout.end()));
  }

  Figures run() {
    options_.limit ? run_limit() : run_access();
    if (rank_ == 0 && !options_.keep) ::unlink(options_.path.c_str());
    return figures_;
  }
  std::int64_t total_bytes() const { return total_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

 private:
  // Best of the repetitions, by each clock; `prepare` is not timed.
  template <typename Prepare, typename Phase>
  Seconds best(Prepare&& prepare, Phase&& phase) {
    constexpr double kForever = std::numeric_limits<double>::infinity();
    Seconds best{kForever, kForever};
    double spent = 0;
    for (int i = 0; i < options_.reps && (i == 0 || spent < options_.seconds); ++i) {
      prepare();
      const Seconds seconds = meeting_.time(phase);
      best = {std::min(best.wall, seconds.wall), std::min(best.cpu, seconds.cpu)};
      spent += seconds.wall;
    }
    return best;
  }
  template <typename Phase>
  Seconds best(Phase&& phase) {
    return best([] {}, phase);
  }

  void run_access() {
    fill(buffer_.data(), access_.memory.layout, salt(kFreshSalt));
    const auto make_file = [this] {
      open();
      write();
      close();
    };
    const auto remove_file = [this] { remove(); };
    if (options_.fresh) {
      figures_.fresh = best(remove_file, make_file);
    } else if (options_.prefill_bytes == 0) {
      remove();
      make_file();
    }
    std::int64_t gap_bytes = 0;
    if (options_.fresh || options_.prefill_bytes == 0) {
      gap_bytes = figures_.fresh_gap_bytes = check_file(kFreshSalt);
    }
    if (options_.prefill_bytes > 0) {
      remove();
      prefill();
      gap_bytes = 0;
    }
    rewrite_and_read();
    figures_.wrong_bytes += std::abs(check_file(kRewriteSalt) - gap_bytes);
  }

  void rewrite_and_read() {
    fill(buffer_.data(), access_.memory.layout, salt(kRewriteSalt));
    figures_.setup = meeting_.time([this] { open(); });
    figures_.tributary = hint("romio_filesystem_type").starts_with("TRIBUTARY");
    const char* const used =
        options_.collective ? "tributary_collective_used" : "tributary_strategy_used";
    figures_.write = best([this] { write(); });
    figures_.write_used = hint(used);
    figures_.read = best([this] { std::ranges::fill(buffer_, kGuard); }, [this] { read(); });
    figures_.read_used = hint(used);
    close();
    check_buffer();
  }

  void run_limit() {
    std::vector<std::uint8_t> data(static_cast<std::size_t>(payload_), std::uint8_t{1});
    std::vector<std::uint8_t> copy(data.size(), std::uint8_t{2});
    const std::int64_t offset = rank_ * payload_;
    if (options_.fresh) {
      figures_.fresh = best(
          [this] { remove(); },
          [&] { PlainFile(options_.path, O_RDWR | O_CREAT).write(data.data(), payload_, offset); });
    }
    const PlainFile file(options_.path, O_RDWR | O_CREAT);
    file.write(data.data(), payload_, offset);
    figures_.write = best([&] { file.write(data.data(), payload_, offset); });
    figures_.read = best([&] { file.read(copy.data(), payload_, offset); });
    figures_.wrong_bytes += data != copy;
    figures_.memcpy = best([&] { std::memcpy(copy.data(), data.data(), data.size()); });
  }

  std::uint32_t salt(std::uint32_t generation) const {
    return generation * 7919U + static_cast<std::uint32_t>(rank_) * 104729U;
  }

  void remove() {
    meeting_.meet();
    if (rank_ == 0) ::unlink(options_.path.c_str());
    meeting_.meet();
  }

  // Zeros up to the end: every implementation then finds the same file.
  void prefill() {
    if (rank_ == 0) {
      const std::vector<std::uint8_t> zeros(static_cast<std::size_t>(options_.prefill_bytes));
      const PlainFile file(options_.path, O_RDWR | O_CREAT);
      for (std::int64_t at = 0; at < file_end_; at += options_.prefill_bytes) {
        file.write(zeros.data(), std::min(options_.prefill_bytes, file_end_ - at), at,
                   options_.prefill_bytes);
      }
    }
    meeting_.meet();
  }

  void open() {
    check(MPI_File_open(MPI_COMM_WORLD, options_.path.c_str(), MPI_MODE_RDWR | MPI_MODE_CREATE,
                        MPI_INFO_NULL, &file_),
          "MPI_File_open");
    check(MPI_File_set_view(file_, access_.file.displacement, access_.etype.get(),
                            access_.file.type.get(), "native", MPI_INFO_NULL),
          "MPI_File_set_view");
  }
  void close() { check(MPI_File_close(&file_), "MPI_File_close"); }

  void write() {
    transfer(options_.collective ? &MPI_File_write_at_all : &MPI_File_write_at, "MPI_File_write");
  }
  void read() {
    transfer(options_.collective ? &MPI_File_read_at_all : &MPI_File_read_at, "MPI_File_read");
  }

  template <typename Call>
  void transfer(Call call, const char* name) {
    int etype_bytes = 1;
    MPI_Type_size(access_.etype.get(), &etype_bytes);
    const std::int64_t call_bytes = payload_ / access_.calls;
    for (std::int64_t i = 0; i < access_.calls; ++i) {
      MPI_Status status;
      check(call(file_, i * call_bytes / etype_bytes, buffer_.data() + i * call_bytes,
                 access_.memory.count, access_.memory.type.get(), &status),
            name);
      int done = 0;
      MPI_Get_count(&status, access_.memory.type.get(), &done);
      check_amount(done, access_.memory.count, name);
    }
  }

  void check_buffer() {
    const Layout& layout = access_.memory.layout;
    figures_.wrong_bytes += count_wrong(buffer_.data(), layout, salt(kRewriteSalt));
    const auto guards = std::ranges::count(buffer_, kGuard);  // no pattern byte is even
    figures_.wrong_bytes +=
        std::abs(static_cast<std::int64_t>(buffer_.size()) - layout.payload_bytes() - guards);
  }

  // Each rank checks its own bytes; the result is the bytes that nobody wrote and that changed.
  std::int64_t check_file(std::uint32_t generation) {
    meeting_.meet();
    const PlainFile file(options_.path, O_RDONLY);
    if (file.size() != file_end_) fail("the file has a wrong size");
    const std::int64_t gap_bytes = file.mapped(file_end_, [&](const std::uint8_t* data) {
      figures_.wrong_bytes += count_wrong(data, access_.file.layout, salt(generation));
      if (rank_ != 0) return std::int64_t{0};
      const auto zeros = std::count(data, data + file_end_, std::uint8_t{0});
      return std::abs(file_end_ - total_ - zeros);
    });
    meeting_.meet();
    return gap_bytes;
  }

  // The value of a key of the file's info; empty if there is none.
  std::string hint(const char* key) const {
    MPI_Info info = MPI_INFO_NULL;
    if (MPI_File_get_info(file_, &info) != MPI_SUCCESS || info == MPI_INFO_NULL) return {};
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    return found != 0 ? value : "";
  }

  const Options& options_;
  Rendezvous meeting_;
  Access access_;
  Figures figures_;
  std::vector<std::uint8_t> buffer_;
  std::int64_t payload_ = 0;
  std::int64_t total_ = 0;
  std::int64_t file_end_ = 0;
  MPI_File file_ = MPI_FILE_NULL;
  int rank_ = 0;
  int ranks_ = 1;
};

void print(const Options& options, const Bench& bench, const Figures& figures) {
  std::int64_t wrong = 0;
  MPI_Reduce(&figures.wrong_bytes, &wrong, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (bench.rank() != 0) return;
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  std::printf("{\"case\": \"%s\", \"ranks\": %d, \"collective\": %s, \"limit\": %s, ",
              std::string(options.test->name).c_str(), bench.ranks(), flag(options.collective),
              flag(options.limit));
  const std::array<std::pair<const char*, Seconds>, 5> rows{{{"write", figures.write},
                                                             {"read", figures.read},
                                                             {"fresh", figures.fresh},
                                                             {"setup", figures.setup},
                                                             {"memcpy", figures.memcpy}}};
  for (const auto& [name, seconds] : rows) {
    std::printf("\"%s\": {\"wall\": %.6f, \"cpu\": %.6f}, ", name, seconds.wall, seconds.cpu);
  }
  std::printf(
      "\"tributary\": %s, \"bytes\": %lld, \"wrong_bytes\": %lld, \"fresh_gap_bytes\": %lld, "
      "\"write_used\": \"%s\", \"read_used\": \"%s\"}\n",
      flag(figures.tributary), static_cast<long long>(bench.total_bytes()),
      static_cast<long long>(wrong), static_cast<long long>(figures.fresh_gap_bytes),
      figures.write_used.c_str(), figures.read_used.c_str());
}

void list_cases() {
  for (const Case& row : cases()) {
    std::printf("{\"case\": \"%s\", \"mebibytes\": %lld, \"ranks\": %d, \"fresh\": %s}\n",
                std::string(row.name).c_str(), static_cast<long long>(row.mebibytes), row.ranks,
                row.fresh ? "true" : "false");
  }
}

template <typename Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

bool parse_options(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--collective") {
      options.collective = true;
    } else if (name == "--fresh") {
      options.fresh = true;
    } else if (name == "--limit") {
      options.limit = true;
    } else if (name == "--keep") {
      options.keep = true;
    } else {
      ++i;
      const bool good = name == "--case"      ? (options.test = find_case(value)) != nullptr
                        : name == "--file"    ? !(options.path = value).empty()
                        : name == "--bytes"   ? parse(value, options.bytes)
                        : name == "--prefill" ? parse(value, options.prefill_bytes)
                        : name == "--reps"    ? parse(value, options.reps)
                        : name == "--seconds" ? parse(value, options.seconds)
                                              : false;
      if (!good) return false;
    }
  }
  return options.test != nullptr && !options.path.empty();
}

}  // namespace
}  // namespace tributary::bench

int main(int argc, char** argv) {
  using namespace tributary::bench;
  if (argc == 2 && std::string_view(argv[1]) == "--list") {
    list_cases();
    return 0;
  }
  Options options;
  if (!parse_options(argc, argv, options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  MPI_Init(&argc, &argv);
  {
    Bench bench(options);
    const Figures figures = bench.run();
    print(options, bench, figures);
  }
  MPI_Finalize();
  return 0;
}
