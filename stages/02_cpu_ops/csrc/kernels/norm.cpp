// The variance takes a second sweep over the row (still in L1), because E[x^2] - E[x]^2 loses all
// digits when the mean is large.
#include "kernels/norm.h"

#include <algorithm>
#include <cmath>

#include "core/thread_pool.h"
#include "kernels/sums.h"

namespace norch {
namespace {

constexpr int64_t kGrain = 1 << 14;  // elements

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
        forward_row<T>(x.data<T>() + i * x.strides[0], w, b, n, T(eps), out.data<T>() + i * n,
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

// row(i, sums of the part (kSums, n)) for every row i; then the sums of all parts go to `totals`.
template <class T, int kSums, class Row>
void sum_over_rows(int64_t rows, int64_t n, T* const (&totals)[kSums], Row row) {
  const int64_t parts = std::clamp<int64_t>(rows * n / kGrain, 1, kParts), size = kSums * n;
  const StoragePtr memory = Storage::create(static_cast<size_t>(parts * size) * sizeof(T));
  T* sums = reinterpret_cast<T*>(memory->data());  // (parts, kSums, n)
  std::fill_n(sums, parts * size, T(0));
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = rows * begin / parts, part = begin; part < end; ++part) {
      for (; i < rows * (part + 1) / parts; ++i) row(i, sums + part * size);
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

void layer_norm_backward(const Array& grad, const Array& x, const Array& mean, const Array& rstd,
                         const Array* weight, Array& dx, Array& dweight, Array& dbias) {
  visit_floating(x.dtype, "layer_norm_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = x.shape[1];
    T* const totals[] = {dweight.data<T>(), dbias.data<T>()};
    sum_over_rows<T>(x.shape[0], n, totals, [&](int64_t i, T* sums) {
      backward_row<T>(grad.data<T>() + i * grad.strides[0], x.data<T>() + i * x.strides[0],
                      data_or_null<T>(weight), n, mean.data<T>()[i], rstd.data<T>()[i],
                      dx.data<T>() + i * n, sums, sums + n);
    });
  });
}

void rms_norm(const Array& x, const Array* weight, double eps, Array& out, Array& rstd) {
  visit_floating(x.dtype, "rms_norm", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = x.shape[1];
    const T* w = data_or_null<T>(weight);
    parallel_for(x.shape[0], std::max<int64_t>(1, kGrain / (n + 1)), [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        const T* p = x.data<T>() + i * x.strides[0];
        T* y = out.data<T>() + i * n;
        const T squares = sum_over<T>(n, [=](int64_t j) { return p[j] * p[j]; });
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

void rms_norm_backward(const Array& grad, const Array& x, const Array& rstd, const Array* weight,
                       Array& dx, Array& dweight) {
  visit_floating(x.dtype, "rms_norm_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t n = x.shape[1];
    T* const totals[] = {dweight.data<T>()};
    sum_over_rows<T>(x.shape[0], n, totals, [&](int64_t i, T* sums) {
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
