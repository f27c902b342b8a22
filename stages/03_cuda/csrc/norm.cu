// norm: layer_norm and rms_norm over the last dimension, and their gradients. T is float or double.
//
// One block handles one line (a row of channels, or a column of rows), as in softmax.cu. Two passes
// give mean and variance: E[x^2] - E[x]^2 would lose all digits where the mean is large. rms_norm
// is layer_norm with 0 for the mean: it hands in a null pointer, and nothing is subtracted or
// averaged.

#include "block.h"

// out = (x - mean) rstd weight + bias; x has rows along `outer` and channels `step` apart.
extern "C" __global__ void layer_norm_kernel(i64 rows, i64 channels, Layout outer, i64 step,
                                             const T* x, i64 weight_step, const T* weight,
                                             i64 bias_step, const T* bias, double eps, T* out,
                                             T* mean, T* rstd) {
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* line = x + at(outer, row);
    T m = 0;
    if (mean != nullptr) {
      m = sum_for_all(channels, [=](i64 j) { return line[j * step]; }) / channels;
    }
    T squares =
        sum_for_all(channels, [=](i64 j) { return (line[j * step] - m) * (line[j * step] - m); });
    T r = T(1) / sqrt(squares / channels + static_cast<T>(eps));
    for (i64 j = threadIdx.x; j < channels; j += blockDim.x) {
      T scale = weight == nullptr ? T(1) : weight[j * weight_step];
      T shift = bias == nullptr ? T(0) : bias[j * bias_step];
      out[row * channels + j] = (line[j * step] - m) * r * scale + shift;
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

// One block: channels of dweight = sum of grad y and dbias (may be null) = sum of grad, over rows.
extern "C" __global__ void layer_norm_dweight_kernel(i64 channels, i64 rows, const T* grad,
                                                     const T* x, const T* mean, const T* rstd,
                                                     T* dweight, T* dbias) {
  for (i64 j = blockIdx.x; j < channels; j += gridDim.x) {
    T dw = sum_for_all(rows, [=](i64 i) {
      T m = mean == nullptr ? T(0) : mean[i];
      return grad[i * channels + j] * (x[i * channels + j] - m) * rstd[i];
    });
    if (threadIdx.x == 0) dweight[j] = dw;
    if (dbias == nullptr) continue;
    T db = sum_for_all(rows, [=](i64 i) { return grad[i * channels + j]; });
    if (threadIdx.x == 0) dbias[j] = db;
  }
}
