// A row is summed in kLanesOfSums independent sums, which the compiler keeps in vectors; the
// variance takes a second sweep over the row (still in L1), because E[x^2] - E[x]^2 loses all
// digits when the mean is large.
#include "kernels/norm.h"

#include <algorithm>
#include <cmath>

#include "core/thread_pool.h"

namespace norch {
namespace {

constexpr int kLanesOfSums = 32;
constexpr int64_t kGrain = 1 << 14;  // elements

// The sum over j of f(j), for j < n.
template <class T, class F>
T sum_over(int64_t n, F f) {
  T sums[kLanesOfSums] = {};
  int64_t j = 0;
  for (; j + kLanesOfSums <= n; j += kLanesOfSums) {
    for (int k = 0; k < kLanesOfSums; ++k) sums[k] += f(j + k);
  }
  for (int k = 0; j < n; ++j, ++k) sums[k] += f(j);
  for (int half = kLanesOfSums / 2; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return sums[0];
}

template <class T>
void forward_row(const T* x, const T* weight, const T* bias, int64_t n, T eps, T* out, T& mean,
                 T& rstd) {
  const T m = sum_over<T>(n, [=](int64_t j) { return x[j]; }) / T(n);
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - m) * (x[j] - m); });
  const T r = 1 / std::sqrt(squares / T(n) + eps);
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

template <class T>
const T* data_or_null(const Array* a) {
  return a == nullptr ? nullptr : a->data<T>();
}

void layer_norm(const Array& x, const Array* weight, const Array* bias, double eps, Array& out,
                Array& mean, Array& rstd) {
  visit_floating(x.dtype, "layer_norm", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = x.shape[1];
    const T *w = data_or_null<T>(weight), *b = data_or_null<T>(bias);
    parallel_for(x.shape[0], std::max<int64_t>(1, kGrain / (n + 1)), [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        forward_row<T>(x.data<T>() + i * n, w, b, n, T(eps), out.data<T>() + i * n,
                       mean.data<T>()[i], rstd.data<T>()[i]);
      }
    });
  });
}

// With y = (x - mean) rstd and h = grad weight:
//   dx = rstd (h - average of h - y times the average of h y)
// The row also adds to dweight += grad y and dbias += grad.
template <class T>
void backward_row(const T* grad, const T* x, const T* weight, int64_t n, T mean, T rstd, T* dx,
                  T* dweight, T* dbias) {
  for (int64_t j = 0; j < n; ++j) {
    dweight[j] += grad[j] * ((x[j] - mean) * rstd);
    dbias[j] += grad[j];
  }
  const auto h = [=](int64_t j) { return weight != nullptr ? grad[j] * weight[j] : grad[j]; };
  const T average = sum_over<T>(n, h) / T(n);
  const T slope = sum_over<T>(n, [=](int64_t j) { return h(j) * ((x[j] - mean) * rstd); }) / T(n);
  for (int64_t j = 0; j < n; ++j) {
    dx[j] = rstd * (h(j) - average - (x[j] - mean) * rstd * slope);
  }
}

// The rows are cut into kParts parts, whatever the number of threads; each has its own sums for
// dweight and dbias, and these are added in order at the end.
constexpr int64_t kParts = 16;

void layer_norm_backward(const Array& grad, const Array& x, const Array& mean, const Array& rstd,
                         const Array* weight, Array& dx, Array& dweight, Array& dbias) {
  visit_floating(x.dtype, "layer_norm_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t rows = x.shape[0], n = x.shape[1];
    const int64_t parts = std::clamp<int64_t>(x.numel / kGrain, 1, kParts);
    const StoragePtr memory = Storage::create(static_cast<size_t>(2 * parts * n) * sizeof(T));
    T* sums = reinterpret_cast<T*>(memory->data());  // (parts, 2, n)
    std::fill_n(sums, 2 * parts * n, T(0));
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = rows * begin / parts, part = begin; part < end; ++part) {
        T *dw = sums + 2 * part * n, *db = dw + n;
        for (; i < rows * (part + 1) / parts; ++i) {
          backward_row<T>(grad.data<T>() + i * n, x.data<T>() + i * n, data_or_null<T>(weight), n,
                          mean.data<T>()[i], rstd.data<T>()[i], dx.data<T>() + i * n, dw, db);
        }
      }
    });
    T *dw = dweight.data<T>(), *db = dbias.data<T>();
    std::copy_n(sums, n, dw);
    std::copy_n(sums + n, n, db);
    for (int64_t part = 1; part < parts; ++part) {
      const T* more = sums + 2 * part * n;
      for (int64_t j = 0; j < n; ++j) dw[j] += more[j];
      for (int64_t j = 0; j < n; ++j) db[j] += more[n + j];
    }
  });
}

}  // namespace

template <>
const NormTable& table<NormTable, kIsa>() {
  static constexpr NormTable t{&layer_norm, &layer_norm_backward};
  return t;
}

}  // namespace norch
