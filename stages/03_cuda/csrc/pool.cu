// pool: the largest element, or the mean, under a window that slides over planes (H, W). T is float
// or double.
//
// x has the layout (planes, H, W), not coalesced: its shape gives the sizes; out and index are
// contiguous. What lies in the padding is skipped: a padding of zeros would beat negative numbers.
// The gradient of the maximum is scatter.cu's: it goes to the place that `index` names.

struct Window {  // one direction
  i64 size, kernel, stride, padding, dilation, out;
  __device__ i64 start(i64 o) const { return o * stride - padding; }
  __device__ i64 first(i64 o) const { return max(start(o), 0LL); }          // not dilated
  __device__ i64 end(i64 o) const { return min(start(o) + kernel, size); }  // not dilated
  __device__ i64 padded(i64 o) const { return min(kernel, size + padding - start(o)); }
};

// One thread: elements of out with their places h W + w. The first of equal ones wins, and a NaN
// beats everything.
extern "C" __global__ void max_pool2d_kernel(i64 n, Layout lx, const T* x, T* out, i64* index,
                                             i64 out_h, i64 kernel_h, i64 stride_h, i64 padding_h,
                                             i64 dilation_h, i64 out_w, i64 kernel_w, i64 stride_w,
                                             i64 padding_w, i64 dilation_w) {
  Window rows = {lx.shape[1], kernel_h, stride_h, padding_h, dilation_h, out_h};
  Window cols = {lx.shape[2], kernel_w, stride_w, padding_w, dilation_w, out_w};
  for (i64 e = first_element(); e < n; e += element_step()) {
    const T* plane = x + e / (out_h * out_w) * lx.strides[0];
    i64 top = rows.start(e / out_w % out_h), left = cols.start(e % out_w);
    T most = -infinity();
    i64 place = -1;
    for (i64 i = 0; i < kernel_h; i++) {
      i64 h = top + i * dilation_h;
      if (h < 0 || h >= rows.size) continue;
      for (i64 j = 0; j < kernel_w; j++) {
        i64 w = left + j * dilation_w;
        if (w < 0 || w >= cols.size) continue;
        T value = plane[h * lx.strides[1] + w * lx.strides[2]];
        if (place < 0 || value > most || value != value) {
          most = value;
          place = h * cols.size + w;
        }
      }
    }
    out[e] = most;
    index[e] = place;
  }
}

// The number the sum under window (y, z) is divided by: `fixed`, or (0) its places; places beyond
// the padding never count.
__device__ inline T divisor(const Window& rows, const Window& cols, i64 y, i64 z, i64 with_padding,
                            i64 fixed) {
  if (fixed != 0) return fixed;
  if (with_padding) return rows.padded(y) * cols.padded(z);
  return (rows.end(y) - rows.first(y)) * (cols.end(z) - cols.first(z));
}

// One thread: elements of out.
extern "C" __global__ void avg_pool2d_kernel(i64 n, Layout lx, const T* x, T* out, i64 out_h,
                                             i64 kernel_h, i64 stride_h, i64 padding_h, i64 out_w,
                                             i64 kernel_w, i64 stride_w, i64 padding_w,
                                             i64 with_padding, i64 fixed) {
  Window rows = {lx.shape[1], kernel_h, stride_h, padding_h, 1, out_h};
  Window cols = {lx.shape[2], kernel_w, stride_w, padding_w, 1, out_w};
  for (i64 e = first_element(); e < n; e += element_step()) {
    const T* plane = x + e / (out_h * out_w) * lx.strides[0];
    i64 y = e / out_w % out_h, z = e % out_w;
    T sum = 0;
    for (i64 h = rows.first(y); h < rows.end(y); h++) {
      for (i64 w = cols.first(z); w < cols.end(z); w++) {
        sum += plane[h * lx.strides[1] + w * lx.strides[2]];
      }
    }
    out[e] = sum / divisor(rows, cols, y, z, with_padding, fixed);
  }
}

// One thread: elements of dx (planes, H, W). It gathers its share from every window it lay under:
// windows y with start <= h < start + kernel. lgrad is (planes, OH, OW).
extern "C" __global__ void avg_pool2d_backward_kernel(i64 n, Layout lgrad, const T* grad, T* dx,
                                                      i64 size_h, i64 kernel_h, i64 stride_h,
                                                      i64 padding_h, i64 size_w, i64 kernel_w,
                                                      i64 stride_w, i64 padding_w, i64 with_padding,
                                                      i64 fixed) {
  Window rows = {size_h, kernel_h, stride_h, padding_h, 1, lgrad.shape[1]};
  Window cols = {size_w, kernel_w, stride_w, padding_w, 1, lgrad.shape[2]};
  for (i64 e = first_element(); e < n; e += element_step()) {
    const T* plane = grad + e / (size_h * size_w) * lgrad.strides[0];
    i64 h = e / size_w % size_h + padding_h, w = e % size_w + padding_w;
    T sum = 0;
    for (i64 y = max(h - kernel_h + stride_h, 0LL) / stride_h; y < rows.out; y++) {
      if (y * stride_h > h) break;
      for (i64 z = max(w - kernel_w + stride_w, 0LL) / stride_w; z < cols.out; z++) {
        if (z * stride_w > w) break;
        T share = plane[y * lgrad.strides[1] + z * lgrad.strides[2]];
        sum += share / divisor(rows, cols, y, z, with_padding, fixed);
      }
    }
    dx[e] = sum;
  }
}
