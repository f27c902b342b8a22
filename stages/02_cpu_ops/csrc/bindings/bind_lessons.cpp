// The lesson kernels, for norch_cpu_ops.lessons and the book.
#include <chrono>

#include "bindings/operation.h"
#include "ops/lessons.h"

namespace norch {
namespace {
// For the bindings peak_flops and peak_bandwidth: the most of several tries that work() does in a
// second; it returns how much it did.
template <class Work>
double best_rate(Work work) {
  const WithoutGil released;
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int attempt = 0; attempt < 7; ++attempt) {
    const auto start = Clock::now();
    const double done = work();
    best = std::max(best, done / std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

// The binding that Python calls as peak_flops.
double peak_flops() {
  return best_rate([] {
    volatile float factor = 0.5f;
    return kernels<LessonTable>().multiply_adds(1 << 20, &factor);
  });
}

// The binding that Python calls as peak_bandwidth.
double peak_bandwidth(const Array& a) {
  lesson_sum(a, "naive");  // checks it, and touches its memory
  return best_rate([&] {
    volatile float sum = kernels<LessonTable>().read(a.data<float>(), a.numel);
    (void)sum;
    return static_cast<double>(a.nbytes());
  });
}
}  // namespace

// The lesson kernels, as rows that become Python functions.
Table lessons_table() {
  static const Operation rows[] = {
      {"lesson_matmul(a, b, level)", &lesson_matmul,
       "a (m, k) @ b (k, n) by one lesson kernel: naive, reordered, blocked or registers.", 64},
      {"lesson_fetches(a, b)", &lesson_fetches,
       "How many numbers of b the level blocked fetches, if a cache holds one block of it."},
      {"lesson_sum(a, level)", &lesson_sum,
       "The sum by one lesson kernel: naive, unrolled, vectorised or pairwise."},
      {"use_lessons(large='', small='', sum='')", &use_lessons,
       "Let lesson kernels do norch's own products and sums of float32; '' gives the work back."},
      {"peak_flops()", &peak_flops,
       "Floating point operations a second of one thread, measured on multiply-adds alone."},
      {"peak_bandwidth(a)", &peak_bandwidth,
       "Bytes a second that one thread can read from a float32 array.", kHoldsGil},
  };
  return rows;
}
}  // namespace norch
