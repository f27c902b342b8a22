// Checks, allocation and threads for the random numbers.
#include "ops/random.h"

#include <cmath>
#include <utility>

#include "core/thread_pool.h"
#include "kernels/philox.h"
#include "kernels/random.h"
#include "ops/copy.h"

namespace norch {
namespace {
constexpr int64_t kGrain = 1 << 14;

// Refuses random floats of a dtype that is not floating.
void check_floating(DType dtype, const char* op) {
  if (!is_floating(dtype)) {
    raise<DTypeError>("[", op, "] expected a floating dtype, got ", name_of(dtype),
                      ": randint makes whole numbers");
  }
}

// fill(first position, count, where to) over the whole of a new array, in parallel.
template <class Fill>
Array fill_new(const Dims& shape, DType dtype, uint64_t offset, Fill fill) {
  Array out = Array::empty(shape, dtype);
  parallel_for(out.numel, kGrain, [&](int64_t begin, int64_t end) {
    fill(offset + static_cast<uint64_t>(begin), end - begin, out.bytes() + begin * out.itemsize());
  });
  return out;
}
}  // namespace

// Door of uniform: checks the bounds, then the kernel in parallel.
Array uniform(const Dims& shape, double low, double high, DType dtype, uint64_t seed,
              uint64_t offset) {
  check_floating(dtype, "uniform");
  if (!(low <= high) || !std::isfinite(high - low)) {
    raise<Error>("[uniform] expected finite low <= high, got low = ", low, " and high = ", high);
  }
  const DType computed = compute_type(dtype);
  const auto fill = [&](uint64_t first, int64_t count, char* out) {
    kernels<RandomTable>().uniform(seed, first, count, low, high, computed, out);
  };
  return cast(fill_new(shape, computed, offset, fill), dtype);
}

// Door of normal: checks std, then the kernel in parallel.
Array normal(const Dims& shape, double mean, double std, DType dtype, uint64_t seed,
             uint64_t offset) {
  check_floating(dtype, "normal");
  if (!(std >= 0)) raise<Error>("[normal] expected std >= 0, got ", std);
  const DType computed = compute_type(dtype);
  const auto fill = [&](uint64_t first, int64_t count, char* out) {
    kernels<RandomTable>().normal(seed, first, count, mean, std, computed, out);
  };
  return cast(fill_new(shape, computed, offset, fill), dtype);
}

// Door of randint: checks the bounds, then the kernel in parallel.
Array randint(const Dims& shape, int64_t low, int64_t high, uint64_t seed, uint64_t offset) {
  if (low >= high) {
    raise<Error>("[randint] expected low < high, got low = ", low, " and high = ", high);
  }
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return fill_new(shape, DType::kInt64, offset, [&](uint64_t first, int64_t count, char* out) {
    kernels<RandomTable>().integers(seed, first, count, low, range,
                                    reinterpret_cast<int64_t*>(out));
  });
}

// Each of the n! orders is equally likely, because every step draws without bias.  One thread: the
// swaps depend on each other.
Array randperm(int64_t n, uint64_t seed, uint64_t offset) {
  if (n < 0) raise<Error>("[randperm] expected n >= 0, got ", n);
  Array out = Array::empty(&n, 1, DType::kInt64, "randperm");
  int64_t* order = out.data<int64_t>();
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  for (int64_t i = n - 1; i > 0; --i) {
    const uint64_t position = offset + static_cast<uint64_t>(i);
    std::swap(order[i], order[philox::below(seed, position, static_cast<uint64_t>(i) + 1)]);
  }
  return out;
}

// Door of bernoulli: checks p, then the kernel in parallel.
Array bernoulli(const Dims& shape, double p, DType dtype, uint64_t seed, uint64_t offset) {
  if (!(p >= 0 && p <= 1)) raise<Error>("[bernoulli] expected 0 <= p <= 1, got ", p);
  const auto threshold = static_cast<uint64_t>(p * 4294967296.0);
  return fill_new(shape, dtype, offset, [&](uint64_t first, int64_t count, char* out) {
    kernels<RandomTable>().bernoulli(seed, first, count, threshold, dtype, out);
  });
}
}  // namespace norch
