// The lesson kernels, for norch_cpu_ops.lessons and the book.
#include <algorithm>
#include <chrono>

#include "bindings/python.h"
#include "ops/lessons.h"

namespace norch {
namespace {

// work() returns how much it did; the most it does in a second, over some tries.
template <class Work>
double best_rate(Work work) {
  py::gil_scoped_release no_gil;
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int attempt = 0; attempt < 7; ++attempt) {
    const auto start = Clock::now();
    const double done = work();
    best = std::max(best, done / std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

double peak_flops() {
  return best_rate([] {
    volatile float factor = 0.5f;
    return kernels<LessonTable>().multiply_adds(1 << 20, &factor);
  });
}

double peak_bandwidth(const Array& a) {
  return best_rate([&] {
    volatile float sum = kernels<LessonTable>().read(a.data<float>(), a.numel);
    (void)sum;
    return static_cast<double>(a.nbytes());
  });
}

}  // namespace

void bind_lessons(py::module_& m) {
  using namespace py::literals;
  m.def(
      "lesson_matmul",
      [](const Operand& a, const Operand& b, const std::string& level) {
        const Array &x = a.as_array("lesson_matmul"), &y = b.as_array("lesson_matmul");
        return without_gil(x.numel * 64, [&] { return lesson_matmul(x, y, level); });
      },
      "a"_a, "b"_a, "level"_a,
      "a (m, k) @ b (k, n) by one lesson kernel: naive, reordered, blocked or registers.");
  m.def(
      "lesson_sum",
      [](const Operand& a, const std::string& level) {
        const Array& x = a.as_array("lesson_sum");
        return without_gil(x.numel, [&] { return lesson_sum(x, level); });
      },
      "a"_a, "level"_a, "The sum by one lesson kernel: naive, unrolled, vectorised or pairwise.");
  m.def("use_lessons", &use_lessons, "large"_a = "", "small"_a = "", "sum"_a = "",
        "Let lesson kernels do norch's own products and sums of float32; '' gives the work back.");
  m.def("peak_flops", &peak_flops,
        "Floating point operations a second of one thread, measured on multiply-adds alone.");
  m.def(
      "peak_bandwidth",
      [](const Operand& a) {
        const Array& x = a.as_array("peak_bandwidth");
        lesson_sum(x, "naive");  // checks it, and touches its memory
        return peak_bandwidth(x);
      },
      "a"_a, "Bytes a second that one thread can read from a float32 array.");
}

}  // namespace norch
