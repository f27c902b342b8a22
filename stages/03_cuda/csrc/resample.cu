// resample: images of another size, by adaptive pooling, by the nearest element or by bilinear
// mixing, and the gradients. T is float or double.
//
// x has the layout (planes, H, W), not coalesced: its shape gives the sizes; out is contiguous. In
// the gradients each input place gathers from the outputs that looked at it, so no two threads add
// to one number; they stand together, because the places looked at never step back.

// Adaptive pooling: output o takes the places from o size / out (rounded down) to (o + 1) size /
// out (rounded up), so that every place is in a window, some in two.
struct PoolAxis {  // one direction
  i64 size, out;
  __device__ i64 first(i64 o) const { return o * size / out; }
  __device__ i64 end(i64 o) const { return ((o + 1) * size + out - 1) / out; }
  __device__ i64 count(i64 o) const { return end(o) - first(o); }
  __device__ i64 first_over(i64 p) const { return p * out / size; }  // of the windows over place p
};

// One thread: elements of out.
extern "C" __global__ void adaptive_avg_pool2d_kernel(i64 n, Layout lx, const T* x, T* out,
                                                      i64 out_h, i64 out_w) {
  PoolAxis rows = {lx.shape[1], out_h}, cols = {lx.shape[2], out_w};
  for (i64 e = first_element(); e < n; e += element_step()) {
    const T* plane = x + e / (out_h * out_w) * lx.strides[0];
    i64 y = e / out_w % out_h, z = e % out_w;
    T sum = 0;
    for (i64 h = rows.first(y); h < rows.end(y); h++) {
      for (i64 w = cols.first(z); w < cols.end(z); w++) {
        sum += plane[h * lx.strides[1] + w * lx.strides[2]];
      }
    }
    out[e] = sum / (rows.count(y) * cols.count(z));
  }
}

// One thread: elements of dx (planes, H, W), each gathers its share from the windows over it.
// lgrad is (planes, OH, OW).
extern "C" __global__ void adaptive_avg_pool2d_backward_kernel(i64 n, Layout lgrad, const T* grad,
                                                               T* dx, i64 size_h, i64 size_w) {
  PoolAxis rows = {size_h, lgrad.shape[1]}, cols = {size_w, lgrad.shape[2]};
  for (i64 e = first_element(); e < n; e += element_step()) {
    const T* plane = grad + e / (size_h * size_w) * lgrad.strides[0];
    i64 h = e / size_w % size_h, w = e % size_w;
    T sum = 0;
    for (i64 y = rows.first_over(h); y < rows.out && rows.first(y) <= h; y++) {
      for (i64 z = cols.first_over(w); z < cols.out && cols.first(z) <= w; z++) {
        T share = plane[y * lgrad.strides[1] + z * lgrad.strides[2]];
        sum += share / (rows.count(y) * cols.count(z));
      }
    }
    dx[e] = sum;
  }
}

// One thread: elements of out with their places h W + w. Of equal ones the first is taken; a NaN is
// larger than all numbers.
extern "C" __global__ void adaptive_max_pool2d_kernel(i64 n, Layout lx, const T* x, T* out,
                                                      i64* index, i64 out_h, i64 out_w) {
  PoolAxis rows = {lx.shape[1], out_h}, cols = {lx.shape[2], out_w};
  for (i64 e = first_element(); e < n; e += element_step()) {
    const T* plane = x + e / (out_h * out_w) * lx.strides[0];
    i64 y = e / out_w % out_h, z = e % out_w, place = -1;
    T most = -infinity();
    for (i64 h = rows.first(y); h < rows.end(y); h++) {
      for (i64 w = cols.first(z); w < cols.end(z); w++) {
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

// Interpolation: output place o looks at the input place scale o (nearest), or between two places
// (bilinear).
struct ScaleAxis {  // one direction
  i64 size, out;
  double scale;  // input steps for each output step
  i64 corners;   // whether the first and the last places of input and output meet

  __device__ i64 nearest(i64 o) const {
    return min(static_cast<i64>(floorf(static_cast<float>(o) * static_cast<float>(scale))),
               size - 1);
  }
  // Where output o looks: between the places low and low + 1.
  __device__ T position(i64 o) const {
    T s = static_cast<T>(scale), p = corners ? s * o : s * (o + T(0.5)) - T(0.5);
    return p < 0 ? T(0) : p;
  }
  __device__ i64 low(i64 o) const { return min(static_cast<i64>(position(o)), size - 1); }
  __device__ i64 high(i64 o) const { return min(low(o) + 1, size - 1); }
  __device__ T share_of_high(i64 o) const { return min(position(o) - low(o), T(1)); }
  // How much of input place p is in output o.
  __device__ T share(i64 o, i64 p) const {
    T share = share_of_high(o);
    return (low(o) == p ? 1 - share : T(0)) + (high(o) == p ? share : T(0));
  }
  // No output before this one looks at input place p.
  __device__ i64 first_near(i64 p) const {
    double o = scale > 0 ? (p - 1.5) / scale - 2 : 0;
    return o < 0 ? 0 : static_cast<i64>(o);
  }
};

// One thread: elements of out.
extern "C" __global__ void upsample_nearest2d_kernel(i64 n, Layout lx, const T* x, T* out,
                                                     i64 out_h, i64 out_w, double scale_h,
                                                     double scale_w) {
  ScaleAxis rows = {lx.shape[1], out_h, scale_h, 0}, cols = {lx.shape[2], out_w, scale_w, 0};
  for (i64 e = first_element(); e < n; e += element_step()) {
    i64 h = rows.nearest(e / out_w % out_h), w = cols.nearest(e % out_w);
    const T* plane = x + e / (out_h * out_w) * lx.strides[0];
    out[e] = plane[h * lx.strides[1] + w * lx.strides[2]];
  }
}

// One thread: elements of dx (planes, H, W); lgrad is (planes, OH, OW).
extern "C" __global__ void upsample_nearest2d_backward_kernel(i64 n, Layout lgrad, const T* grad,
                                                              T* dx, i64 size_h, i64 size_w,
                                                              double scale_h, double scale_w) {
  ScaleAxis rows = {size_h, lgrad.shape[1], scale_h, 0},
            cols = {size_w, lgrad.shape[2], scale_w, 0};
  for (i64 e = first_element(); e < n; e += element_step()) {
    i64 h = e / size_w % size_h, w = e % size_w;
    const T* plane = grad + e / (size_h * size_w) * lgrad.strides[0];
    T sum = 0;
    for (i64 y = rows.first_near(h); y < rows.out && rows.nearest(y) <= h; y++) {
      if (rows.nearest(y) != h) continue;
      for (i64 z = cols.first_near(w); z < cols.out && cols.nearest(z) <= w; z++) {
        if (cols.nearest(z) == w) sum += plane[y * lgrad.strides[1] + z * lgrad.strides[2]];
      }
    }
    dx[e] = sum;
  }
}

// One thread: elements of out, each mixed of four.
extern "C" __global__ void upsample_bilinear2d_kernel(i64 n, Layout lx, const T* x, T* out,
                                                      i64 out_h, i64 out_w, double scale_h,
                                                      double scale_w, i64 corners) {
  ScaleAxis rows = {lx.shape[1], out_h, scale_h, corners},
            cols = {lx.shape[2], out_w, scale_w, corners};
  for (i64 e = first_element(); e < n; e += element_step()) {
    i64 y = e / out_w % out_h, z = e % out_w;
    const T* plane = x + e / (out_h * out_w) * lx.strides[0];
    const T* top = plane + rows.low(y) * lx.strides[1];
    const T* bottom = plane + rows.high(y) * lx.strides[1];
    i64 left = cols.low(z) * lx.strides[2], right = cols.high(z) * lx.strides[2];
    T down = rows.share_of_high(y), across = cols.share_of_high(z);
    out[e] = (1 - down) * ((1 - across) * top[left] + across * top[right]) +
             down * ((1 - across) * bottom[left] + across * bottom[right]);
  }
}

// One thread: elements of dx (planes, H, W); lgrad is (planes, OH, OW).
extern "C" __global__ void upsample_bilinear2d_backward_kernel(i64 n, Layout lgrad, const T* grad,
                                                               T* dx, i64 size_h, i64 size_w,
                                                               double scale_h, double scale_w,
                                                               i64 corners) {
  ScaleAxis rows = {size_h, lgrad.shape[1], scale_h, corners};
  ScaleAxis cols = {size_w, lgrad.shape[2], scale_w, corners};
  for (i64 e = first_element(); e < n; e += element_step()) {
    i64 h = e / size_w % size_h, w = e % size_w;
    const T* plane = grad + e / (size_h * size_w) * lgrad.strides[0];
    T sum = 0;
    for (i64 y = rows.first_near(h); y < rows.out && rows.low(y) <= h; y++) {
      T down = rows.share(y, h);
      if (down == 0) continue;
      for (i64 z = cols.first_near(w); z < cols.out && cols.low(z) <= w; z++) {
        T share = down * cols.share(z, w);
        if (share != 0) sum += share * plane[y * lgrad.strides[1] + z * lgrad.strides[2]];
      }
    }
    dx[e] = sum;
  }
}
