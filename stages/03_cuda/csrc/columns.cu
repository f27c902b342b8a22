// columns: im2col writes what lies under a sliding kernel into columns, so that a convolution
// becomes a product of matrices; col2im adds columns back to where they came from. T is float or
// double.
//
// Images are (N, C, H, W), columns (N, C KH KW, OH OW): row (c, i, j), column (y, x) holds
// image[c, y sh - ph + i dh, x sw - pw + j dw], or 0 in the padding.

struct Slide {  // one direction
  i64 size, kernel, stride, padding, dilation, out;
  __device__ i64 place(i64 o, i64 k) const { return o * stride - padding + k * dilation; }
  // The output for which kernel place k lies on p; -1 if there is none.
  __device__ i64 output(i64 p, i64 k) const {
    i64 moved = p + padding - k * dilation;
    return moved >= 0 && moved % stride == 0 && moved / stride < out ? moved / stride : -1;
  }
};

// One thread: elements of columns. x has the layout (N, C, H, W), not coalesced.
extern "C" __global__ void im2col_kernel(i64 n, Layout lx, const T* x, T* columns, i64 kernel_h,
                                         i64 stride_h, i64 padding_h, i64 dilation_h, i64 out_h,
                                         i64 kernel_w, i64 stride_w, i64 padding_w, i64 dilation_w,
                                         i64 out_w) {
  Slide down = {lx.shape[2], kernel_h, stride_h, padding_h, dilation_h, out_h};
  Slide right = {lx.shape[3], kernel_w, stride_w, padding_w, dilation_w, out_w};
  for (i64 e = first_element(); e < n; e += element_step()) {
    i64 row = e / (out_h * out_w), channel = row / (kernel_h * kernel_w);  // of all images
    i64 h = down.place(e / out_w % out_h, row / kernel_w % kernel_h);
    i64 w = right.place(e % out_w, row % kernel_w);
    bool inside = h >= 0 && h < down.size && w >= 0 && w < right.size;
    i64 image = channel / lx.shape[1] * lx.strides[0] + channel % lx.shape[1] * lx.strides[1];
    columns[e] = inside ? x[image + h * lx.strides[2] + w * lx.strides[3]] : T(0);
  }
}

// One thread: elements of the image; each gathers from all columns it was written to. `columns` has
// the layout (N, C KH KW, OH OW), not coalesced.
extern "C" __global__ void col2im_kernel(i64 n, Layout lcolumns, const T* columns, T* image,
                                         i64 channels, i64 size_h, i64 kernel_h, i64 stride_h,
                                         i64 padding_h, i64 dilation_h, i64 out_h, i64 size_w,
                                         i64 kernel_w, i64 stride_w, i64 padding_w, i64 dilation_w,
                                         i64 out_w) {
  Slide down = {size_h, kernel_h, stride_h, padding_h, dilation_h, out_h};
  Slide right = {size_w, kernel_w, stride_w, padding_w, dilation_w, out_w};
  for (i64 e = first_element(); e < n; e += element_step()) {
    i64 channel = e / (size_h * size_w), h = e / size_w % size_h, w = e % size_w;
    const T* from = columns + channel / channels * lcolumns.strides[0];
    i64 first_row = channel % channels * kernel_h * kernel_w;
    T sum = 0;
    for (i64 k = 0; k < kernel_h * kernel_w; k++) {
      i64 y = down.output(h, k / kernel_w), z = right.output(w, k % kernel_w);
      if (y < 0 || z < 0) continue;
      sum += from[(first_row + k) * lcolumns.strides[1] + (y * out_w + z) * lcolumns.strides[2]];
    }
    image[e] = sum;
  }
}
