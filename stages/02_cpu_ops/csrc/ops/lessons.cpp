// Checks of the lesson kernels, and the choice of a level by its name.
#include "ops/lessons.h"

namespace norch {
namespace {

int level_of(const std::string& level, const char* const (&names)[kLessonLevels], const char* op) {
  for (int i = 0; i < kLessonLevels; ++i) {
    if (level == names[i]) return i;
  }
  raise<ValueError>("[", op, "] there is no level '", level, "': expected ", names[0], ", ",
                    names[1], ", ", names[2], " or ", names[3]);
}

void check(const Array& a, const char* op) {
  if (a.dtype == DType::kFloat32 && a.contiguous) return;
  raise<TypeError>("[", op, "] expected a contiguous float32 array, got ", name_of(a.dtype),
                   a.contiguous ? "" : ", not contiguous", ": the fast kernels take any");
}

}  // namespace

Array lesson_matmul(const Array& a, const Array& b, const std::string& level) {
  const char* op = "lesson_matmul";
  const int chosen = level_of(level, kMatmulLevels, op);
  check(a, op);
  check(b, op);
  if (a.ndim != 2 || b.ndim != 2 || a.shape[1] != b.shape[0]) {
    raise<ShapeError>("[lesson_matmul] shapes ", a.shape_text(), " and ", b.shape_text(),
                      " do not match: expected (m, k) and (k, n)");
  }
  Dims shape;
  shape.push(a.shape[0]);
  shape.push(b.shape[1]);
  Array c = Array::empty(shape, DType::kFloat32);
  kernels<LessonTable>().matmul[chosen](a.data<float>(), b.data<float>(), c.data<float>(),
                                        a.shape[0], b.shape[1], a.shape[1]);
  return c;
}

float lesson_sum(const Array& a, const std::string& level) {
  const int chosen = level_of(level, kSumLevels, "lesson_sum");
  check(a, "lesson_sum");
  return kernels<LessonTable>().sum[chosen](a.data<float>(), a.numel);
}

}  // namespace norch
