// Checks of the lesson kernels, and the choice of a level by its name.
#include "ops/lessons.h"

#include <algorithm>

#include "ops/copy.h"

namespace norch {
namespace {
constexpr int kNone = -1;
constexpr int64_t kTileRows = 6, kTileCols = 32;  // on the widest vectors

// Which level does the library's work; written once, before any.
struct Chosen {
  int large = kNone, small = kNone, sum = kNone;
};
Chosen chosen;

// The number of a lesson level by its name, checked at the lessons' doors.
int level_of(const std::string& level, const char* const (&names)[kLessonLevels], const char* op) {
  for (int i = 0; i < kLessonLevels; ++i) {
    if (level == names[i]) return i;
  }
  raise<ValueError>("[", op, "] there is no level '", level, "': expected ", names[0], ", ",
                    names[1], ", ", names[2], " or ", names[3]);
}

// Refuses arrays that the lesson kernels do not read.
void check(const Array& a, const char* op) {
  if (a.dtype == DType::kFloat32 && a.contiguous) return;
  raise<TypeError>("[", op, "] expected a contiguous float32 array, got ", name_of(a.dtype),
                   a.contiguous ? "" : ", not contiguous", ": the fast kernels take any");
}

// Refuses matrices that the lesson kernels cannot multiply.
void check_product(const Array& a, const Array& b, const char* op) {
  check(a, op);
  check(b, op);
  if (a.ndim == 2 && b.ndim == 2 && a.shape[1] == b.shape[0]) return;
  raise<ShapeError>("[", op, "] shapes ", a.shape_text(), " and ", b.shape_text(),
                    " do not match: expected (m, k) and (k, n)");
}
}  // namespace

// Door of the lesson that counts fetches.
int64_t lesson_fetches(const Array& a, const Array& b) {
  check_product(a, b, "lesson_fetches");
  return kernels<LessonTable>().fetches(a.data<float>(), b.data<float>(), a.shape[0], b.shape[1],
                                        a.shape[1]);
}

// Door of the lesson products, by level.
Array lesson_matmul(const Array& a, const Array& b, const std::string& level) {
  const char* op = "lesson_matmul";
  const int chosen = level_of(level, kMatmulLevels, op);
  check_product(a, b, op);
  Array c = Array::empty({a.shape[0], b.shape[1]}, DType::kFloat32);
  kernels<LessonTable>().matmul[chosen](a.data<float>(), b.data<float>(), c.data<float>(),
                                        a.shape[0], b.shape[1], a.shape[1]);
  return c;
}

// Chooses which lesson kernels the doors call for the library's own work.
void use_lessons(const std::string& large, const std::string& small, const std::string& sum) {
  const char* op = "use_lessons";
  chosen.large = large.empty() ? kNone : level_of(large, kMatmulLevels, op);
  chosen.small = small.empty() ? kNone : level_of(small, kMatmulLevels, op);
  chosen.sum = sum.empty() ? kNone : level_of(sum, kSumLevels, op);
}

// Asked by matmul's door: the product by the lesson kernel chosen for it, if there is one.
bool lesson_multiplies(const Array& a, const Array& b, Array& c, bool accumulate) {
  if (c.ndim != 2 || c.dtype != DType::kFloat32) return false;
  const int64_t m = c.shape[0], n = c.shape[1];
  const int level = m >= kTileRows && n >= kTileCols ? chosen.large : chosen.small;
  if (level == kNone) return false;
  const Array x = contiguous(a), y = contiguous(b);
  Array product = accumulate ? Array::empty(c.shape, c.ndim, c.dtype) : c;
  float* const made = product.data<float>();
  kernels<LessonTable>().matmul[level](x.data<float>(), y.data<float>(), made, m, n, a.shape[1]);
  if (accumulate) {
    float* const total = c.data<float>();
    std::transform(made, made + c.numel, total, total, [](float u, float v) { return u + v; });
  }
  return true;
}

// Asked by sum's door: the sum by the lesson kernel chosen for it, if there is one.
bool lesson_sums(const Array& a, Array& out) {
  if (chosen.sum == kNone || a.dtype != DType::kFloat32 || !a.contiguous || out.numel != 1) {
    return false;
  }
  *out.data<float>() = kernels<LessonTable>().sum[chosen.sum](a.data<float>(), a.numel);
  return true;
}

// Door of the lesson sums, by level.
float lesson_sum(const Array& a, const std::string& level) {
  const int chosen = level_of(level, kSumLevels, "lesson_sum");
  check(a, "lesson_sum");
  return kernels<LessonTable>().sum[chosen](a.data<float>(), a.numel);
}
}  // namespace norch
