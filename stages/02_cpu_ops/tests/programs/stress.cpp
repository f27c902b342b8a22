// Many threads at once on the pool, the allocator and shared storages, forks among them, without
// Python: what ThreadSanitizer and AddressSanitizer watch. tools/sanitize.py builds and runs it;
// the exit code is the number of wrong results. With `--plant FAULT` it commits that one fault
// instead, so that the tests can see a sanitizer catch it.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/allocator.h"
#include "core/array.h"
#include "core/thread_pool.h"
#include "ops/copy.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

namespace norch {
namespace {

constexpr int kThreads = 4;
int wrong = 0;

void check(bool right, const char* what) {
  if (right) return;
  ++wrong;
  std::fprintf(stderr, "wrong: %s\n", what);
}

Dims vector_shape(int64_t n) {
  Dims shape;
  shape.push(n);
  return shape;
}

Array ones(int64_t n) { return full(vector_shape(n), Scalar::of(1.0), DType::kFloat32); }

double total(const Array& a) {
  Dims dims;
  dims.push(0);
  return *reduce(ReduceOp::kSum, a, dims, false).data<float>();
}

template <class F>
void on_threads(F work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
}

void pool_covers_every_element_once(int64_t n, int64_t grain) {
  const auto visits = std::make_unique<std::atomic<int>[]>(static_cast<size_t>(n));
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) visits[i].fetch_add(1, std::memory_order_relaxed);
  });
  bool once = true;
  for (int64_t i = 0; i < n; ++i) once &= visits[i].load() == 1;
  check(once, "parallel_for visits every element once");
}

void pool() {
  for (int round = 0; round < 200; ++round) {
    set_num_threads(1 + round % 5);
    pool_covers_every_element_once(1 + 997 * (round % 7), 1 + round % 64);
  }
  set_num_threads(3);
}

void pool_from_many_threads() {
  on_threads([](int) {
    for (int round = 0; round < 100; ++round) pool_covers_every_element_once(1000, 10);
  });
}

void errors_reach_the_caller() {
  for (int round = 0; round < 50; ++round) {
    bool caught = false;
    try {
      parallel_for(1000, 1, [](int64_t begin, int64_t end) {
        if (begin <= 700 && 700 < end) throw std::runtime_error("planned");
      });
    } catch (const std::runtime_error&) {
      caught = true;
    }
    check(caught, "an exception in a chunk reaches the caller");
  }
}

// While some threads compute, others change how many helpers there are and what the cache keeps.
void settings_change_while_others_compute() {
  on_threads([](int who) {
    for (int round = 0; round < 60; ++round) {
      if (who == 0) set_num_threads(1 + round % 4);
      if (who == 1) empty_cache();
      if (who == 1) set_cache_limit(round % 2 == 0 ? 1 << 16 : 1 << 26);
      const int64_t n = 1 << (10 + round % 8);
      check(total(ones(n)) == double(n), "a sum beside changing settings");
    }
  });
  set_cache_limit(1 << 28);
  set_num_threads(3);
}

void allocator() {
  on_threads([](int who) {
    std::vector<Block> held;
    uint32_t random = 1u + static_cast<uint32_t>(who);
    for (int round = 0; round < 4000; ++round) {
      random = random * 1664525u + 1013904223u;
      if (held.size() > 20 || (!held.empty() && random % 3 == 0)) {
        release(held[random % held.size()]);
        held[random % held.size()] = held.back();
        held.pop_back();
      } else {
        const size_t bytes = random >> 8 & ((1u << (random % 17)) - 1);
        held.push_back(allocate(0, bytes));
        std::memset(held.back().memory, who, bytes);
      }
    }
    for (const Block& block : held) release(block);
  });
}

// Views of one storage are made, moved and dropped by all threads; the last one frees it.
void references() {
  std::atomic<int> freed{0};
  float memory[16] = {};
  {
    const Array shared = [&] {
      Array a = Array::empty(vector_shape(16), DType::kFloat32);
      a.storage = Storage::adopt(memory, sizeof memory, true, &freed, [](void* count) {
        static_cast<std::atomic<int>*>(count)->fetch_add(1);
      });
      return a;
    }();
    on_threads([&](int) {
      std::vector<Array> views;
      for (int round = 0; round < 3000; ++round) {
        views.push_back(shared);
        if (round % 3 == 0) views.front() = std::move(views.back());
        if (views.size() > 10) views.clear();
        shared.storage->bump_version();
      }
    });
    check(shared.storage->version() == 3000 * kThreads, "every in-place write is counted");
    check(freed == 0, "a storage with a view is kept");
  }
  check(freed == 1, "the last view frees the storage, once");
}

void operations_from_many_threads() {
  on_threads([](int) {
    for (int round = 0; round < 30; ++round) {
      const Array a = ones(1 << 16);
      check(total(arithmetic(ArithmeticOp::kAdd, {&a, {}}, {&a, {}})) == 2 << 16, "1 + 1");
      Array m = ones(64 * 64);
      Dims square;
      square.push(64);
      square.push(64);
      m = m.reshaped(square);
      const Array product = matmul(m, m, MatmulPath::kBlocked, nullptr);
      check(*product.data<float>() == 64, "a product of ones");
    }
  });
}

bool child_computes() {
  const pid_t pid = fork();
  if (pid == 0) {
    const bool right = total(ones(1 << 18)) == 1 << 18;
    _exit(right && wrong == 0 ? 0 : 1);
  }
  int status = 1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void fork_while_others_compute() {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) total(ones(1 << 18));
  });
  for (int round = 0; round < 20; ++round) check(child_computes(), "a forked child computes");
  stop = true;
  other.join();
}

// ---- Faults on purpose
// ---------------------------------------------------------------------------

void overflow() {
  const Array a = ones(5);
  volatile float* p = a.data<float>();
  p[5] = 1;  // inside the block of the cache, outside what was asked for
}

void use_after_free() {
  volatile float* p = ones(5).data<float>();
  p[0] = 1;  // the block lies in the cache
}

void undefined() {
  volatile int most = std::numeric_limits<int>::max();
  std::printf("%d\n", most + 1);
}

void race() {
  int plain = 0;
  on_threads([&](int who) { plain += who; });
  std::printf("%d\n", plain);
}

void leak() {
  volatile char* lost = new char[100];
  lost[0] = 1;
}

struct Fault {
  const char* name;
  void (*commit)();
};

constexpr Fault kFaults[] = {{"overflow", &overflow},
                             {"use-after-free", &use_after_free},
                             {"undefined", &undefined},
                             {"race", &race},
                             {"leak", &leak}};

int plant(const std::string& name) {
  for (const Fault& fault : kFaults) {
    if (name != fault.name) continue;
    fault.commit();
    return 0;
  }
  std::fprintf(stderr, "stress: no fault is called '%s'\n", name.c_str());
  return 2;
}

int run_all() {
  pool();
  pool_from_many_threads();
  errors_reach_the_caller();
  settings_change_while_others_compute();
  allocator();
  references();
  operations_from_many_threads();
  fork_while_others_compute();
  std::printf("stress: pool, allocator, references, forks: %d wrong\n", wrong);
  return wrong;
}

}  // namespace
}  // namespace norch

int main(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], "--plant") == 0) return norch::plant(words[2]);
  return norch::run_all();
}
