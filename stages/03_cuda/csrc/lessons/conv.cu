// lessons/conv: a convolution as a product of matrices whose second matrix is never stored
// (implicit GEMM). x (N, C, H, W), weight (O, C, KH, KW), out (N, O, OH, OW), all contiguous.
//
//   out (O, N OH OW) = weight (O, C KH KW) times columns (C KH KW, N OH OW)
//
// columns is im2col's matrix (im2col.cu), KH KW times as large as x. A tile of it is all a block
// needs at a time; its threads find the elements in x when they fetch the tile.

constexpr int kTile = 16;

struct Image {
  i64 channels, height, width, kernel_h, kernel_w, stride, padding, out_h, out_w;

  // Element (row, column) of the matrix of columns.
  __device__ T column_element(const T* x, i64 row, i64 column) const {
    i64 c = row / (kernel_h * kernel_w), image = column / (out_h * out_w);
    i64 h = column / out_w % out_h * stride - padding + row / kernel_w % kernel_h;
    i64 w = column % out_w * stride - padding + row % kernel_w;
    bool inside = h >= 0 && h < height && w >= 0 && w < width;
    return inside ? x[((image * channels + c) * height + h) * width + w] : T(0);
  }
};

// One block: a 16 x 16 tile of the product, as matmul_tiled_kernel of matmul.cu.
extern "C" __global__ void conv2d_implicit_gemm_kernel(i64 images, i64 channels, i64 height,
                                                       i64 width, i64 outs, i64 kernel_h,
                                                       i64 kernel_w, i64 stride, i64 padding,
                                                       const T* x, const T* weight, T* out) {
  __shared__ T weights[kTile][kTile];
  __shared__ T columns[kTile][kTile];
  i64 out_h = (height + 2 * padding - kernel_h) / stride + 1;
  i64 out_w = (width + 2 * padding - kernel_w) / stride + 1;
  Image shape = {channels, height, width, kernel_h, kernel_w, stride, padding, out_h, out_w};
  i64 depth = channels * kernel_h * kernel_w, places = images * out_h * out_w;
  int tx = threadIdx.x, ty = threadIdx.y;
  i64 o = static_cast<i64>(blockIdx.y) * kTile + ty, p = static_cast<i64>(blockIdx.x) * kTile + tx;
  T sum = 0;
  for (i64 start = 0; start < depth; start += kTile) {
    weights[ty][tx] = o < outs && start + tx < depth ? weight[o * depth + start + tx] : T(0);
    columns[ty][tx] =
        start + ty < depth && p < places ? shape.column_element(x, start + ty, p) : T(0);
    __syncthreads();
    for (int q = 0; q < kTile; q++) sum += weights[ty][q] * columns[q][tx];
    __syncthreads();
  }
  i64 image = p / (out_h * out_w), place = p % (out_h * out_w);
  if (o < outs && p < places) out[(image * outs + o) * out_h * out_w + place] = sum;
}
