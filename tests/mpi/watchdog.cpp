#include "watchdog.hpp"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "mpi_test.hpp"

namespace tributary::test {

namespace {

std::atomic<std::int64_t> notes{0};
std::atomic<const char*> last_what{"start"};
std::atomic<std::int64_t> last_number{0};
std::atomic<std::int64_t> last_detail{0};

// Runs on the thread that hangs.
extern "C" void print_stack(int) {
  std::array<void*, 64> frames{};
  const int depth = backtrace(frames.data(), static_cast<int>(frames.size()));
  backtrace_symbols_fd(frames.data(), depth, STDERR_FILENO);
}

}  // namespace

void watchdog_note(const char* what, std::int64_t number, std::int64_t detail) {
  last_what.store(what, std::memory_order_relaxed);
  last_number.store(number, std::memory_order_relaxed);
  last_detail.store(detail, std::memory_order_relaxed);
  notes.fetch_add(1, std::memory_order_relaxed);
}

Watchdog::Watchdog(int seconds, int rank)
    : seconds_(seconds), rank_(rank), watched_(pthread_self()) {
  if (seconds_ <= 0) return;
  std::signal(SIGUSR2, print_stack);
  std::array<void*, 1> warm_up{};
  backtrace(warm_up.data(), 1);  // loads libgcc now: not in the handler
  thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

void Watchdog::watch() {
  std::int64_t seen = notes.load();
  int quiet_seconds = 0;
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, std::chrono::seconds(1), [this] { return stopping_; })) {
    const std::int64_t now = notes.load();
    quiet_seconds = now == seen ? quiet_seconds + 1 : 0;
    seen = now;
    if (quiet_seconds >= seconds_) report_and_exit();
  }
}

void Watchdog::report_and_exit() {
  std::fprintf(stderr, "[rank %d] watchdog: no progress for %d s in: %s %lld (%lld)\n", rank_,
               seconds_, last_what.load(), static_cast<long long>(last_number.load()),
               static_cast<long long>(last_detail.load()));
  pthread_kill(watched_, SIGUSR2);
  ::sleep(3);  // the other ranks report too before the launcher ends them
  ::_exit(86);
}

}  // namespace tributary::test
