// Ends a job that hangs, and says where: MPI programs that disagree about a collective call
// otherwise sit until the test driver kills them without a word.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace tributary::test {

class Watchdog {
 public:
  // Watches the calling thread until it is destroyed. 0 seconds: does nothing.
  Watchdog(int seconds, int rank);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch();
  void report_and_exit();

  int seconds_;
  int rank_;
  pthread_t watched_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace tributary::test
