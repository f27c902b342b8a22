// Binary search, counting, and the places of true elements.
#include "scalar_kernels/histogram.h"

#include <algorithm>
#include <type_traits>

#include "core/thread_pool.h"

namespace norch {
namespace {
// The scalar binary search of searchsorted, its comparisons written as PyTorch's, so that NaN lands
// where it lands there: behind everything.
template <class T>
int64_t place_of(const T* sorted, int64_t n, T value, bool right) {
  // ex 2.12 begin
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
  // ex 2.12 end
}

// The scalar loop of histc: counts elements into bins of equal width.
template <class T>
void count_bins(const T* values, int64_t n, T low, T high, T* out, int64_t bins) {
  for (int64_t i = 0; i < n; ++i) {
    const T x = values[i];
    if (!(x >= low && x <= high)) continue;
    const T place = (x - low) * static_cast<T>(bins) / (high - low);  // may overflow: no bin then
    out[place < static_cast<T>(bins) ? static_cast<int64_t>(place) : bins - 1] += 1;
  }
}
}  // namespace

// The scalar loop of searchsorted: a binary search for each value.
void searchsorted_rows(const Array& sorted, const Array& values, bool shared, bool right,
                       Array& out) {
  visit(values.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = sorted.shape[sorted.ndim - 1];
    const int64_t m = shared ? std::max<int64_t>(1, values.numel) : values.shape[values.ndim - 1];
    parallel_for(values.numel, 1 << 10, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* row = sorted.data<T>() + i / m * n;
        out.data<int64_t>()[i] = place_of(row, n, values.data<T>()[i], right);
      }
    });
  });
}

// The scalar loop of bincount: one more, or a weight more, at each place.
void bincount_elements(const int64_t* index, int64_t n, const Array* weights, Array& out) {
  if (weights == nullptr) {
    for (int64_t i = 0; i < n; ++i) ++out.data<int64_t>()[index[i]];
    return;
  }
  const int64_t step = weights->strides[0];
  if (out.dtype == DType::kFloat32) {
    for (int64_t i = 0; i < n; ++i) out.data<float>()[index[i]] += weights->data<float>()[i * step];
  } else {
    for (int64_t i = 0; i < n; ++i) {
      out.data<double>()[index[i]] += weights->data<double>()[i * step];
    }
  }
}

// The scalar loop of histc, for float32 and float64.
void histc_elements(const Array& a, double low, double high, Array& out) {
  if (a.dtype == DType::kFloat32) {
    count_bins(a.data<float>(), a.numel, float(low), float(high), out.data<float>(), out.numel);
  } else {
    count_bins(a.data<double>(), a.numel, low, high, out.data<double>(), out.numel);
  }
}

// The scalar loop that counts a mask's true elements, before nonzero's.
int64_t count_true(const Array& mask) {
  const Bool* p = mask.data<Bool>();
  int64_t total = 0;
  for (int64_t i = 0; i < mask.numel; ++i) total += p[i] ? 1 : 0;
  return total;
}

// The scalar loop of nonzero: the indices of true elements, in order.
void nonzero_elements(const Array& mask, Array& out) {
  const Bool* p = mask.data<Bool>();
  int64_t* to = out.data<int64_t>();
  int64_t index[kMaxDims] = {};
  const int last = mask.ndim - 1;
  const int64_t row = mask.ndim == 0 ? 1 : mask.shape[last];
  for (int64_t start = 0; start < mask.numel; start += row) {
    for (int64_t j = 0; j < row; ++j) {
      if (!p[start + j]) continue;
      for (int i = 0; i < last; ++i) *to++ = index[i];
      if (last >= 0) *to++ = j;
    }
    for (int i = last - 1; i >= 0 && ++index[i] == mask.shape[i]; --i) index[i] = 0;
  }
}
}  // namespace norch
