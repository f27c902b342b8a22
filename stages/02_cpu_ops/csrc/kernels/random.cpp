// From run-time dtypes to the loops of random_fill.h.
#include "kernels/random.h"

#include "kernels/random_fill.h"

namespace norch {
namespace {
// The kernel of uniform, for float32 and float64.
void uniform(uint64_t seed, uint64_t first, int64_t count, double low, double high, DType dtype,
             void* out) {
  if (dtype == DType::kFloat64) {
    return fill_uniform<double, uint64_t>(seed, first, count, low, high, static_cast<double*>(out));
  }
  fill_uniform<float, uint32_t>(seed, first, count, low, high, static_cast<float*>(out));
}

// The kernel of normal, for float32 and float64.
void normal(uint64_t seed, uint64_t first, int64_t count, double mean, double std, DType dtype,
            void* out) {
  if (dtype == DType::kFloat64) {
    return fill_normal(seed, first, count, mean, std, static_cast<double*>(out));
  }
  fill_normal(seed, first, count, mean, std, static_cast<float*>(out));
}

// The kernel of bernoulli, for every dtype.
void bernoulli(uint64_t seed, uint64_t first, int64_t count, uint64_t threshold, DType dtype,
               void* out) {
  visit(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    fill_bernoulli(seed, first, count, threshold, static_cast<T*>(out));
  });
}
}  // namespace

template <>
const RandomTable& table<RandomTable, kIsa>() {
  static constexpr RandomTable t{&uniform, &normal, &fill_integers, &bernoulli};
  return t;
}
}  // namespace norch
