// normalization: layer_norm, rms_norm, batch_norm and group_norm, and their gradients. T is float
// or double.
//
// One block handles all elements that share a mean: a row of channels, a channel of the whole
// batch, or a group of channels of one image. Two passes give mean and variance: E[x^2] - E[x]^2
// would lose all digits where the mean is large.

#include "block.h"

// 1 / the standard deviation; eps keeps it finite.
__device__ inline T rstd_of(T var, T eps) { return T(1) / sqrt(var + eps); }
// The weight at a place, or 1 where no weights are given.
__device__ inline T or_one(const T* weight, i64 place) {
  return weight == nullptr ? T(1) : weight[place];
}

// layer_norm over the last dimension. rms_norm is layer_norm with 0 for the mean: it hands in a
// null pointer, and nothing is subtracted or averaged.

// out = (x - mean) rstd weight + bias; x has rows along `outer` and channels `step` apart.
extern "C" __global__ void layer_norm_kernel(i64 rows, i64 channels, Layout outer, i64 step,
                                             const T* x, i64 weight_step, const T* weight,
                                             i64 bias_step, const T* bias, T eps, T* out, T* mean,
                                             T* rstd) {
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* line = x + at(outer, row);
    T m = 0;
    if (mean != nullptr) {
      m = sum_for_all(channels, [=](i64 j) { return line[j * step]; }) / channels;
    }
    T squares =
        sum_for_all(channels, [=](i64 j) { return (line[j * step] - m) * (line[j * step] - m); });
    T r = rstd_of(squares / channels, eps);
    for (i64 j = threadIdx.x; j < channels; j += blockDim.x) {
      T shift = bias == nullptr ? T(0) : bias[j * bias_step];
      out[row * channels + j] = (line[j * step] - m) * r * or_one(weight, j * weight_step) + shift;
    }
    if (threadIdx.x == 0 && mean != nullptr) mean[row] = m;
    if (threadIdx.x == 0) rstd[row] = r;
  }
}

// With y = (x - mean) rstd and h = grad weight:
//   dx = rstd (h - average of h - y times the average of h y)
// grad, x and dx are (rows, channels), contiguous.
extern "C" __global__ void layer_norm_dx_kernel(i64 rows, i64 channels, const T* grad, const T* x,
                                                const T* mean, const T* rstd, i64 weight_step,
                                                const T* weight, T* dx) {
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const T *dy = grad + row * channels, *line = x + row * channels;
    T m = mean == nullptr ? T(0) : mean[row], r = rstd[row];
    auto h = [=](i64 j) { return weight == nullptr ? dy[j] : dy[j] * weight[j * weight_step]; };
    T average = mean == nullptr ? T(0) : sum_for_all(channels, h) / channels;
    T slope = sum_for_all(channels, [=](i64 j) { return h(j) * (line[j] - m) * r; }) / channels;
    for (i64 j = threadIdx.x; j < channels; j += blockDim.x) {
      dx[row * channels + j] = r * (h(j) - average - (line[j] - m) * r * slope);
    }
  }
}

constexpr int kShares = 8;  // rows of threads, each with a share of the rows

// One block of 32 x 8 threads: 32 channels side by side, as in sum_columns.cu, of dweight = sum of
// grad y and dbias = sum of grad, over `chunk` rows; chunk c is row c of both.
extern "C" __global__ void layer_norm_dweight_kernel(i64 channels, i64 rows, i64 chunk,
                                                     const T* grad, const T* x, const T* mean,
                                                     const T* rstd, T* dweight, T* dbias) {
  __shared__ T of_weight[kShares][kWarp], of_bias[kShares][kWarp];
  int lane = threadIdx.x, share = threadIdx.y;
  i64 j = static_cast<i64>(blockIdx.x) * kWarp + lane, first = blockIdx.y * chunk;
  T dw = 0, db = 0;
  for (i64 i = first + share; j < channels && i < min(first + chunk, rows); i += kShares) {
    T m = mean == nullptr ? T(0) : mean[i];
    T dy = grad[i * channels + j];
    dw += dy * (x[i * channels + j] - m) * rstd[i];
    db += dy;
  }
  of_weight[share][lane] = dw, of_bias[share][lane] = db;
  __syncthreads();
  if (share > 0 || j >= channels) return;
  for (int other = 1; other < kShares; other++) {
    dw += of_weight[other][lane], db += of_bias[other][lane];
  }
  dweight[blockIdx.y * channels + j] = dw;
  dbias[blockIdx.y * channels + j] = db;
}

// batch_norm and group_norm of images (N, C, ...). `outer` walks over the sets that share a mean,
// `inner` over the elements of one, so that any number of dimensions and any strides will do.
// Element i of a channel lies in image i / size, element i of a group in channel i / size of the
// group; size is the number of places of an image.

struct Moments {
  T mean, var;
};

// Mean and variance of one set, known to every thread of the block. The layout is captured by
// reference, here and below: a copy of it would lie in each thread's local memory.
__device__ inline Moments moments(i64 length, const Layout& inner, const T* set) {
  T mean = sum_for_all(length, [&](i64 i) { return set[at(inner, i)]; }) / length;
  T squares = sum_for_all(length, [&](i64 i) {
    T distance = set[at(inner, i)] - mean;
    return distance * distance;
  });
  return {mean, squares / length};
}

// One block: channels of out = (x - mean) rstd weight + bias.
extern "C" __global__ void batch_norm_kernel(i64 channels, i64 length, Layout outer, Layout inner,
                                             const T* x, i64 weight_step, const T* weight,
                                             i64 bias_step, const T* bias, T eps, Layout outer_out,
                                             Layout inner_out, T* out, T* mean, T* var) {
  for (i64 c = blockIdx.x; c < channels; c += gridDim.x) {
    const T* from = x + at(outer, c);
    T* to = out + at(outer_out, c);
    Moments m = moments(length, inner, from);
    T scale = rstd_of(m.var, eps) * or_one(weight, c * weight_step);
    T shift = bias == nullptr ? T(0) : bias[c * bias_step];
    for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
      to[at(inner_out, i)] = (from[at(inner, i)] - m.mean) * scale + shift;
    }
    if (threadIdx.x == 0) mean[c] = m.mean;
    if (threadIdx.x == 0) var[c] = m.var;
  }
}

// One thread: elements of out = (x - mean) rstd weight + bias, with mean and var given.
extern "C" __global__ void batch_norm_eval_kernel(i64 n, i64 channels, i64 size, Layout lx,
                                                  const T* x, i64 mean_step, const T* mean,
                                                  i64 var_step, const T* var, i64 weight_step,
                                                  const T* weight, i64 bias_step, const T* bias,
                                                  T eps, T* out) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 c = i / size % channels;
    T scale = rstd_of(var[c * var_step], eps) * or_one(weight, c * weight_step);
    T shift = bias == nullptr ? T(0) : bias[c * bias_step];
    out[i] = (x[at(lx, i)] - mean[c * mean_step]) * scale + shift;
  }
}

// With y = (x - mean) rstd: dbias = sum of grad, dweight = sum of grad y, and
//   dx = rstd weight (grad - average of grad - y times the average of grad y)
// One block: one channel after the other. grad, x and dx are contiguous, so one layout serves all.
extern "C" __global__ void batch_norm_backward_kernel(i64 channels, i64 length, Layout outer,
                                                      Layout inner, const T* grad, const T* x,
                                                      const T* mean, const T* var, i64 weight_step,
                                                      const T* weight, T eps, T* dx, T* dweight,
                                                      T* dbias) {
  for (i64 c = blockIdx.x; c < channels; c += gridDim.x) {
    i64 start = at(outer, c);
    T m = mean[c], r = rstd_of(var[c], eps), scale = r * or_one(weight, c * weight_step);
    auto y = [&](i64 i) { return (x[start + at(inner, i)] - m) * r; };
    T db = sum_for_all(length, [&](i64 i) { return grad[start + at(inner, i)]; });
    T dw = sum_for_all(length, [&](i64 i) { return grad[start + at(inner, i)] * y(i); });
    for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
      i64 place = start + at(inner, i);
      dx[place] = scale * (grad[place] - db / length - y(i) * dw / length);
    }
    if (threadIdx.x == 0) dweight[c] = dw;
    if (threadIdx.x == 0) dbias[c] = db;
  }
}

// One block: groups of out = (x - mean) rstd weight + bias. Set s is group s % groups of image
// s / groups. out is contiguous.
extern "C" __global__ void group_norm_kernel(i64 sets, i64 length, i64 groups, i64 size,
                                             Layout outer, Layout inner, const T* x,
                                             i64 weight_step, const T* weight, i64 bias_step,
                                             const T* bias, T eps, T* out, T* mean, T* rstd) {
  for (i64 s = blockIdx.x; s < sets; s += gridDim.x) {
    const T* from = x + at(outer, s);
    i64 first = s % groups * (length / size);  // channel of the group
    Moments m = moments(length, inner, from);
    T r = rstd_of(m.var, eps);
    for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
      i64 c = first + i / size;
      T shift = bias == nullptr ? T(0) : bias[c * bias_step];
      T y = (from[at(inner, i)] - m.mean) * r;
      out[s * length + i] = y * or_one(weight, c * weight_step) + shift;
    }
    if (threadIdx.x == 0) mean[s] = m.mean;
    if (threadIdx.x == 0) rstd[s] = r;
  }
}

// One block: groups of dx = rstd (h - average of h - y times the average of h y), h = grad weight.
// grad, x and dx are contiguous.
extern "C" __global__ void group_norm_dx_kernel(i64 sets, i64 length, i64 groups, i64 size,
                                                const T* grad, const T* x, const T* mean,
                                                const T* rstd, i64 weight_step, const T* weight,
                                                T* dx) {
  for (i64 s = blockIdx.x; s < sets; s += gridDim.x) {
    const T *dy = grad + s * length, *from = x + s * length;
    i64 first = s % groups * (length / size);
    T m = mean[s], r = rstd[s];
    auto h = [=](i64 i) { return dy[i] * or_one(weight, (first + i / size) * weight_step); };
    T average = sum_for_all(length, h) / length;
    T slope = sum_for_all(length, [=](i64 i) { return h(i) * (from[i] - m) * r; }) / length;
    for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
      dx[s * length + i] = r * (h(i) - average - (from[i] - m) * r * slope);
    }
  }
}

// One block: channels of dweight = sum of grad y and dbias = sum of grad, over images and places.
extern "C" __global__ void group_norm_dweight_kernel(i64 channels, i64 length, i64 groups, i64 size,
                                                     const T* grad, const T* x, const T* mean,
                                                     const T* rstd, T* dweight, T* dbias) {
  for (i64 c = blockIdx.x; c < channels; c += gridDim.x) {
    auto place = [=](i64 i) { return (i / size * channels + c) * size + i % size; };
    auto set = [=](i64 i) { return i / size * groups + c / (channels / groups); };
    T db = sum_for_all(length, [=](i64 i) { return grad[place(i)]; });
    T dw = sum_for_all(length, [=](i64 i) {
      return grad[place(i)] * (x[place(i)] - mean[set(i)]) * rstd[set(i)];
    });
    if (threadIdx.x == 0) dweight[c] = dw;
    if (threadIdx.x == 0) dbias[c] = db;
  }
}
