// How a job reaches the helpers: the caller fills in the job, opens it, counts up `generation` and
// works itself. A helper that sees the new generation first counts itself as present, then looks
// whether the job is still open; the caller closes the job and waits until nobody is present.
// Whoever counts in after that finds it closed, so the fields are never written under a reader.
#include "core/thread_pool.h"

#include <pthread.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/allocator.h"
#include "core/blas.h"
#include "core/error.h"

namespace norch {
namespace {
// A helper stays awake so long after a job: longer than the gap between two kernels of a model and
// than another thread's last chunk. A sleeping one is woken in 50 microseconds or more.
constexpr std::chrono::microseconds kAwake{200};
constexpr int kSpins = 1000;  // some ten microseconds, before others may have the core
constexpr int64_t kChunksPerThread = 4;
constexpr int64_t kMaxThreads = 1024;

// Tells the CPU that this thread waits in a loop.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

using Clock = std::chrono::steady_clock;

// Waits for done(), awake, but not beyond `end`; after a while other threads may have the core.
template <class F>
void await(F done, Clock::time_point end) {
  for (int spins = 0; !done();) {
    if (spins < kSpins) {
      ++spins;
      pause();
    } else {
      if (Clock::now() > end) return;
      std::this_thread::yield();
    }
  }
}

thread_local bool inside_pool = false;

class InsidePool {  // marks this thread for the length of a job
 public:
  InsidePool() { inside_pool = true; }
  ~InsidePool() { inside_pool = false; }
  InsidePool(const InsidePool&) = delete;
};

// The cores this process may use: taskset and containers may allow fewer than the machine has, and
// threads that take turns on one core are slower than one thread.
long available_cores() {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  return static_cast<long>(std::thread::hardware_concurrency());
}

// NORCH_NUM_THREADS, or the cores this process may use.
int default_num_threads() {
  const char* text = std::getenv("NORCH_NUM_THREADS");
  const long asked = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  const long wanted = asked > 0 ? asked : available_cores();
  return static_cast<int>(std::clamp(wanted, 1L, long{kMaxThreads}));
}

class Pool {
 public:
  std::mutex busy;  // held by the caller whose job it is

  int num_threads() const { return num_threads_.load(std::memory_order_relaxed); }

  bool pays_for_short_jobs() {
    if (num_threads() == 1) return false;
    const Clock::time_point now = Clock::now(), before = last_asked_.exchange(now);
    return now - before < kAwake || (started_.load() && sleepers_.load() == 0);
  }

  void set_num_threads(int n) {  // the caller holds `busy`
    if (n == num_threads()) return;
    stop_helpers();
    num_threads_.store(n, std::memory_order_relaxed);
  }

  void run(int64_t n, int64_t grain, ChunkFn fn, void* context) {  // the caller holds `busy`
    start_helpers();
    const int64_t share = n / (grain * num_threads() * kChunksPerThread);
    total_ = n;
    chunk_ = grain * std::max<int64_t>(1, share);
    fn_ = fn;
    context_ = context;
    error_ = nullptr;
    next_.store(0);
    open_.store(true);
    wake();
    {
      InsidePool mark;
      take_chunks();
    }
    open_.store(false);
    await([&] { return present_.load() == 0; }, Clock::time_point::max());
    if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void take_chunks() noexcept {
    for (;;) {
      const int64_t begin = next_.fetch_add(chunk_);
      if (begin >= total_) return;
      try {
        fn_(context_, begin, std::min(total_, begin + chunk_));
      } catch (...) {
        next_.store(total_);  // nobody starts another chunk
        std::lock_guard<std::mutex> guard(sleep_);
        if (error_ == nullptr) error_ = std::current_exception();
      }
    }
  }

  void wake() {
    std::lock_guard<std::mutex> guard(sleep_);
    generation_.fetch_add(1);
    if (sleepers_ > 0) wake_.notify_all();
  }

  void help(uint64_t seen) {
    InsidePool mark;
    for (;;) {
      await([&] { return generation_.load() != seen; }, Clock::now() + kAwake);
      if (generation_.load() == seen) {
        std::unique_lock<std::mutex> guard(sleep_);
        ++sleepers_;
        wake_.wait(guard, [&] { return generation_.load() != seen; });
        --sleepers_;
      }
      seen = generation_.load();
      if (stop_.load()) return;
      present_.fetch_add(1);
      if (open_.load()) take_chunks();
      present_.fetch_sub(1);
    }
  }

  void start_helpers() {
    const uint64_t seen = generation_.load();
    while (static_cast<int>(helpers_.size()) < num_threads() - 1) {
      try {
        helpers_.emplace_back([this, seen] { help(seen); });
      } catch (const std::system_error&) {
        break;  // the system has no more threads to give: work with those we have
      }
    }
    started_.store(true);
  }

  void stop_helpers() {
    stop_.store(true);
    wake();
    for (auto& helper : helpers_) helper.join();
    helpers_.clear();
    started_.store(false);
    stop_.store(false);
  }

  std::atomic<int> num_threads_{default_num_threads()};
  std::vector<std::thread> helpers_;
  std::mutex sleep_;  // guards changes of sleepers_, and error_
  std::condition_variable wake_;
  std::atomic<int> sleepers_{0};
  std::atomic<bool> started_{false};  // there are helpers
  std::atomic<Clock::time_point> last_asked_{};
  std::exception_ptr error_;
  std::atomic<uint64_t> generation_{0};
  std::atomic<int> present_{0};
  std::atomic<bool> open_{false};
  std::atomic<bool> stop_{false};
  alignas(64) std::atomic<int64_t> next_{0};
  alignas(64) int64_t total_ = 0;
  int64_t chunk_ = 1;
  ChunkFn fn_ = nullptr;
  void* context_ = nullptr;
};

std::atomic<Pool*> current_pool{nullptr};

// A forked child has none of the helpers: it leaves the old pool alone (its threads are not there
// to be joined) and makes its own when it needs one.
void forget_pool_in_child() {
  Pool* old = current_pool.load();
  auto* fresh = new Pool;
  fresh->set_num_threads(old->num_threads());
  current_pool.store(fresh);
  inside_pool = false;
}

// The pool of this process, made at the first call.
Pool& pool() {
  static const bool created = [] {
    // Fork takes the locks in reverse order of registration. The allocator's and that of BLAS must
    // come later than ours: a job that is still running may need them to finish.
    memory_stats();
    blas::is_enabled();
    current_pool.store(new Pool);  // never destroyed: helpers may still wait on it at exit
    pthread_atfork([] { current_pool.load()->busy.lock(); },
                   [] { current_pool.load()->busy.unlock(); }, forget_pool_in_child);
    return true;
  }();
  (void)created;
  return *current_pool.load();
}
}  // namespace

// Hands a loop out in chunks to the pool's threads.
void run_in_pool(int64_t n, int64_t grain, ChunkFn fn, void* context) {
  if (inside_pool) return fn(context, 0, n);
  Pool& p = pool();
  if (p.num_threads() == 1) return fn(context, 0, n);
  std::unique_lock<std::mutex> mine(p.busy, std::try_to_lock);
  if (!mine.owns_lock()) return fn(context, 0, n);
  p.run(n, std::max<int64_t>(1, grain), fn, context);
}

// Sets how many threads the pool has.
void set_num_threads(int64_t n) {
  if (n < 1 || n > kMaxThreads) {
    raise<ValueError>("[set_num_threads] expected 1 to ", kMaxThreads, " threads, got ", n);
  }
  Pool& p = pool();
  std::lock_guard<std::mutex> mine(p.busy);
  p.set_num_threads(static_cast<int>(n));
}

// How many threads the pool has.
int get_num_threads() { return pool().num_threads(); }
// Whether helpers stand by, so that a short job may be shared.
bool pays_for_short_jobs() { return pool().pays_for_short_jobs(); }
}  // namespace norch
