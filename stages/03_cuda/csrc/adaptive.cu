// adaptive: pooling to a given size: output o takes the places from o size / out (rounded down) to
// (o + 1) size / out (rounded up), so that every place is in a window, some in two. T is float or
// double.
//
// x has the layout (planes, H, W), not coalesced: its shape gives the sizes; out is contiguous.

struct Axis {  // one direction
  i64 size, out;
  __device__ i64 first(i64 o) const { return o * size / out; }
  __device__ i64 end(i64 o) const { return ((o + 1) * size + out - 1) / out; }
  __device__ i64 count(i64 o) const { return end(o) - first(o); }
  __device__ i64 first_over(i64 p) const { return p * out / size; }  // of the windows over place p
};

// One thread: elements of out.
extern "C" __global__ void adaptive_avg_pool2d_kernel(i64 n, Layout lx, const T* x, T* out,
                                                      i64 out_h, i64 out_w) {
  Axis rows = {lx.shape[1], out_h}, cols = {lx.shape[2], out_w};
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
  Axis rows = {size_h, lgrad.shape[1]}, cols = {size_w, lgrad.shape[2]};
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
  Axis rows = {lx.shape[1], out_h}, cols = {lx.shape[2], out_w};
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
