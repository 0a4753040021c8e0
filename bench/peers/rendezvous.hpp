// Times a phase across the ranks of one node, from a common start to the end of the last rank.
//
// MPI_Barrier is no good for this where ranks outnumber cores: a rank that has finished spins in
// it and takes the core from one that still works (MPICH never yields). Here ranks meet in
// shared memory and sleep, and they start together at an agreed time of the common clock.
//
// The processor time of the busiest rank is taken, too: on a machine that others use as well it
// is the steadier figure for calls in which ranks do not wait for each other.
#pragma once

#include <mpi.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <new>

namespace tributary::bench {

struct Seconds {
  double wall = 0;
  double cpu = 0;
};

class Rendezvous {
 public:
  explicit Rendezvous(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks_);
    void* base = nullptr;
    MPI_Win_allocate_shared(rank == 0 ? sizeof(Shared) : 0, 1, MPI_INFO_NULL, comm, &base,
                            &window_);
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &base);
    shared_ = rank == 0 ? new (base) Shared : static_cast<Shared*>(base);
    MPI_Barrier(comm);
  }
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;
  ~Rendezvous() { MPI_Win_free(&window_); }

  void meet() {
    meet([] {});
  }

  // Runs `phase` on every rank and returns the same figures on every rank.
  template <typename Phase>
  Seconds time(Phase&& phase) {
    meet([this] {
      shared_->start_ns = now_ns(CLOCK_MONOTONIC) + 1'000'000;
      shared_->end_ns = 0;
      shared_->cpu_ns = 0;
    });
    sleep_until(shared_->start_ns);
    const std::int64_t cpu_start_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    phase();
    raise(shared_->end_ns, now_ns(CLOCK_MONOTONIC));
    raise(shared_->cpu_ns, now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_start_ns);
    meet();
    return {static_cast<double>(shared_->end_ns - shared_->start_ns) * 1e-9,
            static_cast<double>(shared_->cpu_ns) * 1e-9};
  }

 private:
  struct Shared {
    std::atomic<int> arrived = 0;
    std::atomic<int> generation = 0;
    std::atomic<std::int64_t> start_ns = 0;
    std::atomic<std::int64_t> end_ns = 0;
    std::atomic<std::int64_t> cpu_ns = 0;
  };

  template <typename Last>
  void meet(Last&& last) {
    const int generation = shared_->generation;
    if (++shared_->arrived == ranks_) {
      last();
      shared_->arrived = 0;
      ++shared_->generation;
      return;
    }
    while (shared_->generation == generation) {
      const timespec pause{0, 50'000};
      nanosleep(&pause, nullptr);
    }
  }

  static std::int64_t now_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }

  static void sleep_until(std::int64_t time_ns) {
    const timespec until{time_ns / 1'000'000'000, time_ns % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }

  static void raise(std::atomic<std::int64_t>& maximum, std::int64_t value) {
    std::int64_t seen = maximum;
    while (seen < value && !maximum.compare_exchange_weak(seen, value)) {
    }
  }

  MPI_Win window_ = MPI_WIN_NULL;
  Shared* shared_ = nullptr;
  int ranks_ = 0;
};

}  // namespace tributary::bench
