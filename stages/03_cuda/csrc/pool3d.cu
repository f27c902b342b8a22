// pool3d: the largest element, or the mean, under a window that slides over volumes (D, H, W):
// pool.cu with one direction more. T is float or double.
//
// x has the layout (volumes, D, H, W), not coalesced: its shape gives the sizes; out and index are
// contiguous. The gradient of the maximum is scatter.cu's. Read pool.cu first.

struct Window {  // one direction
  i64 size, kernel, stride, padding, dilation, out;
  __device__ i64 start(i64 o) const { return o * stride - padding; }
  __device__ i64 first(i64 o) const { return max(start(o), 0LL); }          // not dilated
  __device__ i64 end(i64 o) const { return min(start(o) + kernel, size); }  // not dilated
  __device__ i64 padded(i64 o) const { return min(kernel, size + padding - start(o)); }
};

// One thread: elements of out with their places (d H + h) W + w. The first of equal ones wins, and
// a NaN beats everything.
extern "C" __global__ void max_pool3d_kernel(i64 n, Layout lx, const T* x, T* out, i64* index,
                                             i64 out_d, i64 kernel_d, i64 stride_d, i64 padding_d,
                                             i64 dilation_d, i64 out_h, i64 kernel_h, i64 stride_h,
                                             i64 padding_h, i64 dilation_h, i64 out_w, i64 kernel_w,
                                             i64 stride_w, i64 padding_w, i64 dilation_w) {
  Window slices = {lx.shape[1], kernel_d, stride_d, padding_d, dilation_d, out_d};
  Window rows = {lx.shape[2], kernel_h, stride_h, padding_h, dilation_h, out_h};
  Window cols = {lx.shape[3], kernel_w, stride_w, padding_w, dilation_w, out_w};
  for (i64 e = first_element(); e < n; e += element_step()) {
    const T* volume = x + e / (out_d * out_h * out_w) * lx.strides[0];
    i64 front = slices.start(e / (out_h * out_w) % out_d);
    i64 top = rows.start(e / out_w % out_h), left = cols.start(e % out_w);
    T most = -infinity();
    i64 place = -1;
    for (i64 k = 0; k < kernel_d * kernel_h * kernel_w; k++) {
      i64 d = front + k / (kernel_h * kernel_w) * dilation_d;
      i64 h = top + k / kernel_w % kernel_h * dilation_h, w = left + k % kernel_w * dilation_w;
      if (d < 0 || d >= slices.size || h < 0 || h >= rows.size || w < 0 || w >= cols.size) continue;
      T value = volume[d * lx.strides[1] + h * lx.strides[2] + w * lx.strides[3]];
      if (place < 0 || value > most || value != value) {
        most = value;
        place = (d * rows.size + h) * cols.size + w;
      }
    }
    out[e] = most;
    index[e] = place;
  }
}

struct Windows {
  Window d, h, w;
};

// The number the sum under a window is divided by: `fixed`, or (0) its places; places beyond the
// padding never count.
__device__ inline T divisor(const Windows& v, i64 z, i64 y, i64 x, i64 with_padding, i64 fixed) {
  if (fixed != 0) return fixed;
  if (with_padding) return v.d.padded(z) * v.h.padded(y) * v.w.padded(x);
  return (v.d.end(z) - v.d.first(z)) * (v.h.end(y) - v.h.first(y)) * (v.w.end(x) - v.w.first(x));
}

// One thread: elements of out.
extern "C" __global__ void avg_pool3d_kernel(i64 n, Layout lx, const T* x, T* out, i64 out_d,
                                             i64 kernel_d, i64 stride_d, i64 padding_d, i64 out_h,
                                             i64 kernel_h, i64 stride_h, i64 padding_h, i64 out_w,
                                             i64 kernel_w, i64 stride_w, i64 padding_w,
                                             i64 with_padding, i64 fixed) {
  Windows v = {{lx.shape[1], kernel_d, stride_d, padding_d, 1, out_d},
               {lx.shape[2], kernel_h, stride_h, padding_h, 1, out_h},
               {lx.shape[3], kernel_w, stride_w, padding_w, 1, out_w}};
  for (i64 e = first_element(); e < n; e += element_step()) {
    const T* volume = x + e / (out_d * out_h * out_w) * lx.strides[0];
    i64 z = e / (out_h * out_w) % out_d, y = e / out_w % out_h, c = e % out_w;
    T sum = 0;
    for (i64 d = v.d.first(z); d < v.d.end(z); d++) {
      for (i64 h = v.h.first(y); h < v.h.end(y); h++) {
        for (i64 w = v.w.first(c); w < v.w.end(c); w++) {
          sum += volume[d * lx.strides[1] + h * lx.strides[2] + w * lx.strides[3]];
        }
      }
    }
    out[e] = sum / divisor(v, z, y, c, with_padding, fixed);
  }
}

// The first window over place p, counted from the start of the padding.
__device__ inline i64 first_over(const Window& v, i64 p) {
  return max(p - v.kernel + v.stride, 0LL) / v.stride;
}

// One thread: elements of dx (volumes, D, H, W). It gathers its share from every window it lay
// under. lgrad is (volumes, OD, OH, OW).
extern "C" __global__ void avg_pool3d_backward_kernel(i64 n, Layout lgrad, const T* grad, T* dx,
                                                      i64 size_d, i64 kernel_d, i64 stride_d,
                                                      i64 padding_d, i64 size_h, i64 kernel_h,
                                                      i64 stride_h, i64 padding_h, i64 size_w,
                                                      i64 kernel_w, i64 stride_w, i64 padding_w,
                                                      i64 with_padding, i64 fixed) {
  Windows v = {{size_d, kernel_d, stride_d, padding_d, 1, lgrad.shape[1]},
               {size_h, kernel_h, stride_h, padding_h, 1, lgrad.shape[2]},
               {size_w, kernel_w, stride_w, padding_w, 1, lgrad.shape[3]}};
  for (i64 e = first_element(); e < n; e += element_step()) {
    const T* volume = grad + e / (size_d * size_h * size_w) * lgrad.strides[0];
    i64 d = e / (size_h * size_w) % size_d + padding_d, h = e / size_w % size_h + padding_h;
    i64 w = e % size_w + padding_w;
    T sum = 0;
    for (i64 z = first_over(v.d, d); z < v.d.out && z * stride_d <= d; z++) {
      for (i64 y = first_over(v.h, h); y < v.h.out && y * stride_h <= h; y++) {
        for (i64 x = first_over(v.w, w); x < v.w.out && x * stride_w <= w; x++) {
          T share = volume[z * lgrad.strides[1] + y * lgrad.strides[2] + x * lgrad.strides[3]];
          sum += share / divisor(v, z, y, x, with_padding, fixed);
        }
      }
    }
    dx[e] = sum;
  }
}
