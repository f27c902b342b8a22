// The variance is summed in one sweep with the mean: of x - shift, shift being a mean of the first
// plane, so that no digits are lost when the mean is large. Sums go from vector lanes to doubles.
// A batch of single elements (N, C) is worked on kColumns channels at a time, side by side.
#include "kernels/batch_norm.h"

#include <algorithm>
#include <cmath>

#include "core/thread_pool.h"
#include "kernels/sums.h"

namespace norch {
namespace {
constexpr int kColumns = 32;
constexpr int64_t kGrain = 1 << 14;  // elements

// A channel's weight or bias, or what stands for none.
template <class T>
T value_or(const T* values, int64_t c, T otherwise) {
  return values != nullptr ? values[c] : otherwise;
}

// (N, C, S) as pointers to planes of S elements.
template <class T>
struct Planes {
  T* data;
  int64_t samples, channels, size, sample_stride, channel_stride;

  explicit Planes(const Array& a)
      : data(a.data<T>()),
        samples(a.shape[0]),
        channels(a.shape[1]),
        size(a.shape[2]),
        sample_stride(a.strides[0]),
        channel_stride(a.strides[1]) {}
  T* at(int64_t n, int64_t c) const { return data + n * sample_stride + c * channel_stride; }
  int64_t per_channel() const { return samples * size; }
  bool are_columns() const { return size == 1 && channel_stride == 1 && channels > 1; }
};

// How many channels are worth a thread's chunk.
int64_t grain_of(int64_t elements) { return std::max<int64_t>(1, kGrain / (elements + 1)); }

struct Moments {
  double mean, var;
};

// Mean and variance from the sums of x - shift and its square.
Moments moments_of(double shift, double sum, double squares, int64_t count) {
  const double offset = sum / double(count), var = squares / double(count) - offset * offset;
  return {shift + offset, var < 0 ? 0 : var};
}

// 1 / sqrt(variance + eps).
double rstd_of(double var, double eps) { return 1 / std::sqrt(var + eps); }

// out = (x - mean) scale + shift
template <class T>
void normalize(const T* x, int64_t n, T mean, T scale, T shift, T* out) {
  for (int64_t j = 0; j < n; ++j) out[j] = (x[j] - mean) * scale + shift;
}

// dx = (grad - average - (x - mean) slope) scale
template <class T>
void differentiate(const T* grad, const T* x, int64_t n, T mean, T average, T slope, T scale,
                   T* dx) {
  for (int64_t j = 0; j < n; ++j) dx[j] = (grad[j] - average - (x[j] - mean) * slope) * scale;
}

// Mean and variance of one channel, plane by plane.
template <class T>
Moments channel_moments(const Planes<T>& x, int64_t c) {
  const T* first = x.at(0, c);
  const T shift = sum_over<T>(x.size, [=](int64_t j) { return first[j]; }) / T(x.size);
  TwoSums<T> sums;
  for (int64_t n = 0; n < x.samples; ++n) {
    const T* p = x.at(n, c);
    sums.add(
        x.size, [=](int64_t j) { return p[j] - shift; },
        [=](int64_t j) { return (p[j] - shift) * (p[j] - shift); });
  }
  sums.finish();
  return moments_of(shift, sums.first, sums.second, x.per_channel());
}

// f(j) for the channels of a group; a full group is a loop of known length, made of vectors only.
template <class F>
void for_columns(int width, F f) {
  if (width == kColumns) {
    for (int j = 0; j < kColumns; ++j) f(j);
  } else {
    for (int j = 0; j < width; ++j) f(j);
  }
}

// f(first channel, how many) for groups of channels, in parallel.
template <class F>
void for_groups_of_columns(int64_t channels, int64_t samples, F f) {
  const int64_t groups = (channels + kColumns - 1) / kColumns;
  parallel_for(groups, grain_of(samples * kColumns), [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      const int64_t first = g * kColumns;
      f(first, static_cast<int>(std::min<int64_t>(kColumns, channels - first)));
    }
  });
}

// Two sums for each of `width` columns: add(n, j, a, b) adds what row n has for column j.
template <class T, class F>
void sum_columns(int64_t rows, int width, double* first, double* second, F add) {
  constexpr int64_t kRun = 256;
  std::fill_n(first, kColumns, 0.0);
  std::fill_n(second, kColumns, 0.0);
  for (int64_t begin = 0; begin < rows; begin += kRun) {
    T a[kColumns] = {}, b[kColumns] = {};
    for (int64_t n = begin; n < std::min(rows, begin + kRun); ++n) {
      for_columns(width, [&](int j) { add(n, j, a[j], b[j]); });
    }
    for (int j = 0; j < width; ++j) first[j] += a[j], second[j] += b[j];
  }
}

// Mean and variance of `width` channels side by side.
template <class T>
void column_moments(const Planes<T>& x, int64_t c, int width, Moments* moments) {
  double sum[kColumns], squares[kColumns];
  const T* shift = x.at(0, c);
  sum_columns<T>(x.samples, width, sum, squares, [&](int64_t n, int j, T& a, T& b) {
    const T d = x.at(n, c)[j] - shift[j];
    a += d;
    b += d * d;
  });
  for (int j = 0; j < width; ++j) {
    moments[j] = moments_of(shift[j], sum[j], squares[j], x.samples);
  }
}

// What a channel is normalised with.
template <class T>
struct Affine {
  T mean, scale, shift;
};

// Normalises `width` channels that lie side by side.
template <class T>
void normalize_columns(const Planes<T>& x, const Planes<T>& out, int64_t c, int width,
                       const Affine<T>* affine) {
  T mean[kColumns], scale[kColumns], shift[kColumns];
  for (int j = 0; j < width; ++j) {
    mean[j] = affine[j].mean, scale[j] = affine[j].scale, shift[j] = affine[j].shift;
  }
  for (int64_t n = 0; n < x.samples; ++n) {
    const T* p = x.at(n, c);
    T* y = out.at(n, c);
    for_columns(width, [&](int j) { y[j] = (p[j] - mean[j]) * scale[j] + shift[j]; });
  }
}

// The kernel of batch_norm: statistics of each channel, then its planes.
void batch_norm(const Array& x_, const Array* weight, const Array* bias, double eps, Array& out_,
                Array& mean, Array& var) {
  visit_floating(x_.dtype, "batch_norm", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Planes<T> x(x_), out(out_);
    const T *w = data_or_null<T>(weight), *b = data_or_null<T>(bias);
    const auto finish = [&](int64_t c, const Moments& m) {
      mean.data<T>()[c] = T(m.mean);
      var.data<T>()[c] = T(m.var);
      return Affine<T>{T(m.mean), T(rstd_of(m.var, eps)) * value_or(w, c, T(1)),
                       value_or(b, c, T(0))};
    };
    if (x.are_columns()) {
      return for_groups_of_columns(x.channels, x.samples, [&](int64_t c, int width) {
        Moments moments[kColumns];
        Affine<T> affine[kColumns];
        column_moments(x, c, width, moments);
        for (int j = 0; j < width; ++j) affine[j] = finish(c + j, moments[j]);
        normalize_columns(x, out, c, width, affine);
      });
    }
    parallel_for(x.channels, grain_of(x.per_channel()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const Affine<T> a = finish(c, channel_moments(x, c));
        for (int64_t n = 0; n < x.samples; ++n) {
          normalize(x.at(n, c), x.size, a.mean, a.scale, a.shift, out.at(n, c));
        }
      }
    });
  });
}

// The kernel of batch_norm with given statistics.
void batch_norm_eval(const Array& x_, const Array& mean, const Array& var, const Array* weight,
                     const Array* bias, double eps, Array& out_) {
  visit_floating(x_.dtype, "batch_norm_eval", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Planes<T> x(x_), out(out_);
    const T *w = data_or_null<T>(weight), *b = data_or_null<T>(bias);
    const auto affine_of = [&](int64_t c) {
      const T rstd = T(rstd_of(double(var.data<T>()[c]), eps));
      return Affine<T>{mean.data<T>()[c], rstd * value_or(w, c, T(1)), value_or(b, c, T(0))};
    };
    if (x.are_columns()) {
      return for_groups_of_columns(x.channels, x.samples, [&](int64_t c, int width) {
        Affine<T> affine[kColumns];
        for (int j = 0; j < width; ++j) affine[j] = affine_of(c + j);
        normalize_columns(x, out, c, width, affine);
      });
    }
    parallel_for(x.samples * x.channels, grain_of(x.size), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t n = i / x.channels, c = i % x.channels;
        const Affine<T> a = affine_of(c);
        normalize(x.at(n, c), x.size, a.mean, a.scale, a.shift, out.at(n, c));
      }
    });
  });
}

// With h = x - mean, over the channel's M elements: dbias = sum of grad, dweight = rstd times the
// sum of grad h, and dx = weight rstd (grad - dbias / M - h rstd dweight / M).
template <class T>
struct GradientTerms {
  T average, slope, scale;
};

// The kernel of batch_norm's gradient, channel by channel.
void batch_norm_backward(const Array& grad_, const Array& x_, const Array& mean, const Array& var,
                         const Array* weight, double eps, Array& dx_, Array& dweight,
                         Array& dbias) {
  visit_floating(x_.dtype, "batch_norm_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Planes<T> grad(grad_), x(x_), dx(dx_);
    const T *w = data_or_null<T>(weight), *means = mean.data<T>();
    const auto finish = [&](int64_t c, double sum, double product) {
      const double rstd = rstd_of(double(var.data<T>()[c]), eps), m = double(x.per_channel());
      dbias.data<T>()[c] = T(sum);
      dweight.data<T>()[c] = T(product * rstd);
      return GradientTerms<T>{T(sum / m), T(product * rstd * rstd / m),
                              T(rstd) * value_or(w, c, T(1))};
    };
    if (x.are_columns() && grad.channel_stride == 1) {
      return for_groups_of_columns(x.channels, x.samples, [&](int64_t c, int width) {
        double sum[kColumns], product[kColumns];
        const T* m = means + c;
        sum_columns<T>(x.samples, width, sum, product, [&](int64_t n, int j, T& a, T& b) {
          const T g = grad.at(n, c)[j];
          a += g;
          b += g * (x.at(n, c)[j] - m[j]);
        });
        GradientTerms<T> terms[kColumns];
        for (int j = 0; j < width; ++j) terms[j] = finish(c + j, sum[j], product[j]);
        for (int64_t n = 0; n < x.samples; ++n) {
          const T *g = grad.at(n, c), *p = x.at(n, c);
          T* d = dx.at(n, c);
          for (int j = 0; j < width; ++j) {
            d[j] = (g[j] - terms[j].average - (p[j] - m[j]) * terms[j].slope) * terms[j].scale;
          }
        }
      });
    }
    parallel_for(x.channels, grain_of(x.per_channel()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const T m = means[c];
        TwoSums<T> sums;
        for (int64_t n = 0; n < x.samples; ++n) {
          const T *g = grad.at(n, c), *p = x.at(n, c);
          sums.add(
              x.size, [=](int64_t j) { return g[j]; },
              [=](int64_t j) { return g[j] * (p[j] - m); });
        }
        sums.finish();
        const GradientTerms<T> b = finish(c, sums.first, sums.second);
        for (int64_t n = 0; n < x.samples; ++n) {
          differentiate(grad.at(n, c), x.at(n, c), x.size, m, b.average, b.slope, b.scale,
                        dx.at(n, c));
        }
      }
    });
  });
}

// The kernel of group_norm, group by group of each sample.
void group_norm(const Array& x_, int64_t groups, const Array* weight, const Array* bias, double eps,
                Array& out_, Array& mean, Array& rstd) {
  visit_floating(x_.dtype, "group_norm", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Planes<T> x(x_), out(out_);
    const int64_t width = x.channels / groups;  // channels in a group
    const T *w = data_or_null<T>(weight), *b = data_or_null<T>(bias);
    parallel_for(x.samples * groups, grain_of(width * x.size), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t n = i / groups, first = i % groups * width;
        TwoSums<T> sums;
        const T shift = *x.at(n, first);
        for (int64_t c = first; c < first + width; ++c) {
          const T* p = x.at(n, c);
          sums.add(
              x.size, [=](int64_t j) { return p[j] - shift; },
              [=](int64_t j) { return (p[j] - shift) * (p[j] - shift); });
        }
        sums.finish();
        const Moments m = moments_of(shift, sums.first, sums.second, width * x.size);
        const T r = T(rstd_of(m.var, eps));
        mean.data<T>()[i] = T(m.mean);
        rstd.data<T>()[i] = r;
        for (int64_t c = first; c < first + width; ++c) {
          normalize(x.at(n, c), x.size, T(m.mean), r * value_or(w, c, T(1)), value_or(b, c, T(0)),
                    out.at(n, c));
        }
      }
    });
  });
}

// As batch_norm_backward, with grad weight in the place of grad and a group in that of a channel.
// The sums of each sample's channels are kept, and added up over the samples at the end.
template <class T>
void group_backward(const Planes<T>& grad, const Planes<T>& x, int64_t n, int64_t first,
                    int64_t width, T mean, T rstd, const T* w, const Planes<T>& dx, T* sums) {
  double average = 0, slope = 0;
  for (int64_t c = first; c < first + width; ++c) {
    const T *g = grad.at(n, c), *p = x.at(n, c);
    TwoSums<T> found;
    found.add(
        x.size, [=](int64_t j) { return g[j]; }, [=](int64_t j) { return g[j] * (p[j] - mean); });
    found.finish();
    sums[2 * c] = T(found.first);
    sums[2 * c + 1] = T(found.second * rstd);
    average += double(value_or(w, c, T(1))) * found.first;
    slope += double(value_or(w, c, T(1))) * found.second * rstd;
  }
  const double count = double(width * x.size);
  const T a = T(average / count), s = T(slope / count) * rstd;
  for (int64_t c = first; c < first + width; ++c) {
    const T *g = grad.at(n, c), *p = x.at(n, c), scale = value_or(w, c, T(1));
    T* d = dx.at(n, c);
    for (int64_t j = 0; j < x.size; ++j) d[j] = (g[j] * scale - a - (p[j] - mean) * s) * rstd;
  }
}

// The kernel of group_norm's gradient; sums over samples come last.
void group_norm_backward(const Array& grad_, const Array& x_, const Array& mean, const Array& rstd,
                         int64_t groups, const Array* weight, Array& dx_, Array& dweight,
                         Array& dbias) {
  visit_floating(x_.dtype, "group_norm_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Planes<T> grad(grad_), x(x_), dx(dx_);
    const int64_t width = x.channels / groups;
    const T* w = data_or_null<T>(weight);
    const Room<T> room(2 * x.samples * x.channels);
    T* sums = room.data();  // (N, C, 2)
    parallel_for(x.samples * groups, grain_of(width * x.size), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t n = i / groups, first = i % groups * width;
        group_backward(grad, x, n, first, width, mean.data<T>()[i], rstd.data<T>()[i], w, dx,
                       sums + 2 * n * x.channels);
      }
    });
    for (int64_t c = 0; c < x.channels; ++c) {
      double db = 0, dw = 0;
      for (int64_t n = 0; n < x.samples; ++n) {
        db += double(sums[2 * (n * x.channels + c)]);
        dw += double(sums[2 * (n * x.channels + c) + 1]);
      }
      dbias.data<T>()[c] = T(db);
      dweight.data<T>()[c] = T(dw);
    }
  });
}
}  // namespace

template <>
const BatchNormTable& table<BatchNormTable, kIsa>() {
  static constexpr BatchNormTable t{&batch_norm, &batch_norm_backward, &batch_norm_eval,
                                    &group_norm, &group_norm_backward};
  return t;
}
}  // namespace norch
