// One helper thread of the process, for file access that goes on beside other work. It is started
// when first needed, sleeps while idle, never calls MPI, and ends with MPI_Finalize.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

namespace tributary::execute {

// A piece of work that can be waited for.
class Task {
 public:
  explicit Task(std::function<void()> work) : work_(std::move(work)) {}

  bool done() const;
  void wait();

 private:
  friend class Worker;
  void run();

  std::function<void()> work_;
  mutable std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = false;
};

class Worker {
 public:
  // The task must live until it is done. Runs it at once where no thread can be had.
  static void post(Task& task);
  // Ends the thread; called when the MPI ends. A later post starts a new one.
  static void stop();
};

}  // namespace tributary::execute
