// MPICH never gives up the processor while it waits, so that with more ranks than cores a barrier
// takes as long as the scheduler's time slices (facts.md, section 7). This stands in front of the
// polling function of its transport and yields when nothing arrives.
//
// Linked into every MPICH test (a symbol of the executable is found before that of a library) and
// built as libmpich_yield.so for preloading into programs of other people. Never part of Tributary.
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

namespace {

using Progress = unsigned (*)(void*);

// A few empty polls are normal while a message is on its way; yielding at once would cost latency.
constexpr int polls_before_yield = 5;
constexpr int yields_before_sleep = 100;

Progress next_progress() {
  static const auto next = reinterpret_cast<Progress>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  return next;
}

void give_way(int& idle_polls) {
  ++idle_polls;
  if (idle_polls % polls_before_yield != 0) return;
  if (idle_polls < polls_before_yield * yields_before_sleep) {
    sched_yield();
    return;
  }
  const timespec pause{0, 1000};
  nanosleep(&pause, nullptr);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] unsigned ucp_worker_progress(void* worker) {
  thread_local int idle_polls = 0;
  const unsigned events = next_progress()(worker);
  if (events != 0) {
    idle_polls = 0;
  } else {
    give_way(idle_polls);
  }
  return events;
}
