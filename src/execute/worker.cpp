#include "execute/worker.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <cstring>
#include <deque>
#include <system_error>
#include <thread>

namespace tributary::execute {
namespace {

struct Queue {
  std::mutex mutex;
  std::condition_variable work;
  std::deque<Task*> tasks;
  std::thread thread;
  bool stopping = false;
};

Queue& queue() {
  static Queue* const instance = new Queue;  // never destroyed: calls may come from exit handlers
  return *instance;
}

// An MPI may have bound the rank to one core, where its own waiting would starve this thread.
void leave_the_ranks_core() {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  ::sched_setaffinity(0, sizeof all, &all);  // the kernel keeps to what the job may use
}

}  // namespace

bool Task::done() const {
  const std::scoped_lock guard(mutex_);
  return done_;
}

void Task::wait() {
  std::unique_lock<std::mutex> guard(mutex_);
  finished_.wait(guard, [&] { return done_; });
}

void Task::run() {
  work_();
  const std::scoped_lock guard(mutex_);
  done_ = true;
  finished_.notify_all();
}

void Worker::post(Task& task) {
  Queue& shared = queue();
  std::unique_lock<std::mutex> guard(shared.mutex);
  if (!shared.thread.joinable()) {
    // The program's signals are not this thread's business.
    sigset_t every;
    sigset_t before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    try {
      shared.thread = std::thread([&shared] {
        leave_the_ranks_core();
        std::unique_lock<std::mutex> held(shared.mutex);
        for (;;) {
          shared.work.wait(held, [&] { return shared.stopping || !shared.tasks.empty(); });
          if (shared.tasks.empty()) return;
          Task* const next = shared.tasks.front();
          shared.tasks.pop_front();
          held.unlock();
          next->run();
          held.lock();
        }
      });
    } catch (const std::system_error&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  if (!shared.thread.joinable()) {
    guard.unlock();
    task.run();
    return;
  }
  shared.tasks.push_back(&task);
  shared.work.notify_one();
}

void Worker::stop() {
  Queue& shared = queue();
  {
    const std::scoped_lock guard(shared.mutex);
    if (!shared.thread.joinable()) return;
    shared.stopping = true;
    shared.work.notify_one();
  }
  shared.thread.join();
  shared.stopping = false;
}

}  // namespace tributary::execute
