// layer_norm and rms_norm of contiguous rows, and their gradients. Each row takes a few sweeps, the
// later ones through what is still in L1.
#include "kernels/norm.h"

#include <algorithm>
#include <cmath>

#include "core/thread_pool.h"
#include "kernels/loop.h"
#include "kernels/sums.h"

namespace norch {
namespace {
constexpr int64_t kGrain = 1 << 14;  // elements

// 1 / sqrt(variance + eps) of a row with this mean.
template <class T>
T rstd_of(const T* x, int64_t n, T mean, T eps) {
  // ex 2.11 begin
  // Not E[x^2] - E[x]^2, which loses all digits where the mean is large.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return 1 / std::sqrt(squares / T(n) + eps);
  // ex 2.11 end
}

// layer_norm of one row, in three sweeps.
template <class T>
void forward_row(const T* x, const T* weight, const T* bias, int64_t n, T eps, T* out, T& mean,
                 T& rstd) {
  const auto fetch_next_row = [=](int64_t j) { prefetch(x + n + j, kLanesOfSums); };
  const T m = sum_over<T>(n, [=](int64_t j) { return x[j]; }, fetch_next_row) / T(n);
  const T r = rstd_of(x, n, m, eps);
  if (weight != nullptr && bias != nullptr) {
    for (int64_t j = 0; j < n; ++j) out[j] = (x[j] - m) * r * weight[j] + bias[j];
  } else {
    for (int64_t j = 0; j < n; ++j) {
      const T y = (x[j] - m) * r;
      out[j] = (weight != nullptr ? y * weight[j] : y) + (bias != nullptr ? bias[j] : T(0));
    }
  }
  mean = m;
  rstd = r;
}

// The kernel of layer_norm: rows in parallel.
void layer_norm(const Array& x, const Array* weight, const Array* bias, double eps, Array& out,
                Array& mean, Array& rstd) {
  visit_floating(x.dtype, "layer_norm", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = x.shape[1];
    const T *w = data_or_null<T>(weight), *b = data_or_null<T>(bias);
    parallel_for(x.shape[0], std::max<int64_t>(1, kGrain / (n + 1)), [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        forward_row<T>(x.data<T>() + i * x.strides[0], w, b, n, T(eps), out.data<T>() + i * n,
                       mean.data<T>()[i], rstd.data<T>()[i]);
      }
    });
  });
}

// With y = (x - mean) rstd and h = grad weight:
//   dx = rstd (h - average of h - y times the average of h y)
// The row also adds to dweight += grad y and dbias += grad. Two sweeps: one for all sums, while the
// next row is on its way from memory, and one for dx. h is kept, in aligned memory: a vector that
// a user's array has across two cache lines costs two loads.
template <class T>
void backward_row(const T* grad, const T* x, const T* weight, int64_t n, T mean, T rstd, T* dx,
                  T* dweight, T* dbias, T* h) {
  T sums[kLanesOfSums] = {}, products[kLanesOfSums] = {};  // of h and of h y
  const auto take = [=, &sums, &products](int64_t j, int lane) {
    const T g = grad[j], y = (x[j] - mean) * rstd;
    const T term = weight != nullptr ? g * weight[j] : g;
    h[j] = term;
    sums[lane] += term;
    products[lane] += term * y;
    dweight[j] += g * y;
    dbias[j] += g;
  };
  int64_t j = 0;
  for (; j + kLanesOfSums <= n; j += kLanesOfSums) {
    prefetch(grad + n + j, kLanesOfSums);
    prefetch(x + n + j, kLanesOfSums);
    NORCH_INDEPENDENT
    for (int k = 0; k < kLanesOfSums; ++k) take(j + k, k);
  }
  for (int k = 0; j < n; ++j, ++k) take(j, k);
  const T average = fold_lanes(sums) / T(n), slope = fold_lanes(products) / T(n);
  NORCH_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    dx[i] = rstd * (h[i] - average - (x[i] - mean) * rstd * slope);
  }
}

// The rows are cut into kParts parts, whatever the number of threads; each has its own sums for
// dweight and dbias, and these are added in order at the end.
constexpr int64_t kParts = 16;

// row(i, sums of the part (kSums, n), room for n numbers) for every row i; then the sums of all
// parts go to `totals`.
template <class T, int kSums, class Row>
void sum_over_rows(int64_t rows, int64_t n, T* const (&totals)[kSums], Row row) {
  const int64_t parts = std::clamp<int64_t>(rows * n / kGrain, 1, kParts), size = (kSums + 1) * n;
  const Room<T> room(parts * size);
  T* sums = room.data();  // (parts, kSums + 1, n)
  std::fill_n(sums, parts * size, T(0));
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = rows * begin / parts, part = begin; part < end; ++part) {
      T* const of_part = sums + part * size;
      for (; i < rows * (part + 1) / parts; ++i) row(i, of_part, of_part + kSums * n);
    }
  });
  for (int k = 0; k < kSums; ++k) {
    T* total = totals[k];
    std::copy_n(sums + k * n, n, total);
    for (int64_t part = 1; part < parts; ++part) {
      const T* more = sums + part * size + k * n;
      for (int64_t j = 0; j < n; ++j) total[j] += more[j];
    }
  }
}

// The kernel of layer_norm's gradient: rows in parts, sums added in order.
void layer_norm_backward(const Array& grad, const Array& x, const Array& mean, const Array& rstd,
                         const Array* weight, Array& dx, Array& dweight, Array& dbias) {
  visit_floating(x.dtype, "layer_norm_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = x.shape[1];
    const T* const w = data_or_null<T>(weight);
    T* const totals[] = {dweight.data<T>(), dbias.data<T>()};
    sum_over_rows<T>(x.shape[0], n, totals, [&](int64_t i, T* sums, T* room) {
      backward_row<T>(grad.data<T>() + i * grad.strides[0], x.data<T>() + i * x.strides[0], w, n,
                      mean.data<T>()[i], rstd.data<T>()[i], dx.data<T>() + i * n, sums, sums + n,
                      room);
    });
  });
}

// The kernel of rms_norm: rows in parallel.
void rms_norm(const Array& x, const Array* weight, double eps, Array& out, Array& rstd) {
  visit_floating(x.dtype, "rms_norm", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = x.shape[1];
    const T* w = data_or_null<T>(weight);
    parallel_for(x.shape[0], std::max<int64_t>(1, kGrain / (n + 1)), [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        const T* p = x.data<T>() + i * x.strides[0];
        T* y = out.data<T>() + i * n;
        const auto fetch_next_row = [=](int64_t j) { prefetch(p + n + j, kLanesOfSums); };
        const T squares = sum_over<T>(n, [=](int64_t j) { return p[j] * p[j]; }, fetch_next_row);
        const T r = 1 / std::sqrt(squares / T(n) + T(eps));
        rstd.data<T>()[i] = r;
        for (int64_t j = 0; j < n; ++j) y[j] = w != nullptr ? p[j] * r * w[j] : p[j] * r;
      }
    });
  });
}

// With h = grad weight: dx = rstd (h - x rstd^2 times the average of h x), dweight += grad x rstd.
template <class T>
void rms_backward_row(const T* grad, const T* x, const T* weight, int64_t n, T rstd, T* dx,
                      T* dweight) {
  const auto h = [=](int64_t j) { return weight != nullptr ? grad[j] * weight[j] : grad[j]; };
  for (int64_t j = 0; j < n; ++j) dweight[j] += grad[j] * (x[j] * rstd);
  const T slope = sum_over<T>(n, [=](int64_t j) { return h(j) * (x[j] * rstd); }) / T(n) * rstd;
  for (int64_t j = 0; j < n; ++j) dx[j] = rstd * (h(j) - x[j] * slope);
}

// The kernel of rms_norm's gradient: rows in parts, sums added in order.
void rms_norm_backward(const Array& grad, const Array& x, const Array& rstd, const Array* weight,
                       Array& dx, Array& dweight) {
  visit_floating(x.dtype, "rms_norm_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = x.shape[1];
    T* const totals[] = {dweight.data<T>()};
    sum_over_rows<T>(x.shape[0], n, totals, [&](int64_t i, T* sums, T*) {
      rms_backward_row<T>(grad.data<T>() + i * grad.strides[0], x.data<T>() + i * x.strides[0],
                          data_or_null<T>(weight), n, rstd.data<T>()[i], dx.data<T>() + i * n,
                          sums);
    });
  });
}
}  // namespace

template <>
const NormTable& table<NormTable, kIsa>() {
  static constexpr NormTable t{&layer_norm, &layer_norm_backward, &rms_norm, &rms_norm_backward};
  return t;
}
}  // namespace norch
