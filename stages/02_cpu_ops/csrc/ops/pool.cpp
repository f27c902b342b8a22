// Checks and allocation for pooling.
#include "ops/pool.h"

#include <algorithm>

#include "kernels/pool.h"
#include "ops/copy.h"

namespace norch {
namespace {

struct Windows {
  Window h, w;
  Dims out;  // the shape of the result
};

void check_dtype(const Array& a, const char* op) {
  if (a.dtype != DType::kFloat32 && a.dtype != DType::kFloat64) {
    raise<TypeError>("[", op, "] expected float32 or float64, got ", name_of(a.dtype));
  }
}

// A window with nothing but padding under it has neither a maximum nor a mean.  With padding of at
// most half the kernel only dilation, or an input without elements, leaves one.
void check_not_hollow(const Window& w, const char* op) {
  bool hollow = w.size == 0;
  for (int64_t o = 0; o < w.out && w.start(o) < 0 && !hollow; ++o) {
    const int64_t skipped = (-w.start(o) + w.dilation - 1) / w.dilation * w.dilation;
    hollow = w.start(o) + skipped >= w.size || skipped > (w.kernel - 1) * w.dilation;
  }
  if (hollow) {
    raise<ShapeError>("[", op, "] a window of kernel ", w.kernel, ", padding ", w.padding,
                      " and dilation ", w.dilation, " over an input of ", w.size,
                      " would hold nothing but padding");
  }
}

Windows windows_of(const Dims& shape, const PoolOptions& o, const char* op) {
  if (shape.n != 3 && shape.n != 4) {
    raise<ShapeError>("[", op, "] expected x (N, C, H, W) or (C, H, W), got ",
                      shape_text(shape.v, shape.n));
  }
  for (int i = 0; i < 2; ++i) {
    if (o.padding[i] > ((o.kernel[i] - 1) * o.dilation[i] + 1) / 2) {
      raise<Error>("[", op, "] padding ", o.padding[i], " is more than half of kernel ",
                   o.kernel[i], " with dilation ", o.dilation[i],
                   ": some windows would hold nothing but padding");
    }
  }
  Windows result{window_of(shape[shape.n - 2], o.kernel[0], o, 0, op),
                 window_of(shape[shape.n - 1], o.kernel[1], o, 1, op), shape};
  for (const Window& w : {result.h, result.w}) check_not_hollow(w, op);
  result.out[shape.n - 2] = result.h.out;
  result.out[shape.n - 1] = result.w.out;
  return result;
}

Dims dims_of(const Array& a) {
  Dims dims;
  for (int i = 0; i < a.ndim; ++i) dims.push(a.shape[i]);
  return dims;
}

void check_grad(const Array& grad, const Dims& expected, const char* op) {
  if (grad.ndim != expected.n || !std::equal(expected.begin(), expected.end(), grad.shape)) {
    raise<ShapeError>("[", op, "] expected grad of shape ", shape_text(expected.v, expected.n),
                      ", got ", grad.shape_text());
  }
}

}  // namespace

std::pair<Array, Array> max_pool2d(const Array& x, const PoolOptions& options) {
  check_dtype(x, "max_pool2d");
  const Windows w = windows_of(dims_of(x), options, "max_pool2d");
  Array out = Array::empty(w.out, x.dtype), index = Array::empty(w.out, DType::kInt64);
  kernels<PoolTable>().max_pool2d(contiguous(x), w.h, w.w, out, index);
  return {out, index};
}

Array max_pool2d_backward(const Array& grad, const Array& index, const Dims& input_shape) {
  const char* op = "max_pool2d_backward";
  check_dtype(grad, op);
  check_grad(grad, dims_of(index), op);
  const bool fits = input_shape.n == grad.ndim && grad.ndim >= 3 && index.dtype == DType::kInt64 &&
                    std::equal(grad.shape, grad.shape + grad.ndim - 2, input_shape.v);
  if (!fits) {
    raise<ShapeError>("[", op, "] index (int64) and grad ", grad.shape_text(),
                      " do not belong to an input of shape ",
                      shape_text(input_shape.v, input_shape.n));
  }
  const Array places = contiguous(index);
  const int64_t plane = input_shape[input_shape.n - 2] * input_shape[input_shape.n - 1];
  for (int64_t i = 0; i < places.numel; ++i) {
    const int64_t place = places.data<int64_t>()[i];
    if (place < 0 || place >= plane) {
      raise<IndexError>("[", op, "] index ", place, " lies outside a plane of ", plane);
    }
  }
  Array dx = full(input_shape, Scalar::of(0.0), grad.dtype);
  const int64_t planes = plane == 0 ? 0 : dx.numel / plane;
  kernels<PoolTable>().max_pool2d_backward(contiguous(grad), places, dx, planes);
  return dx;
}

namespace {

void check_no_dilation(const PoolOptions& o) {
  if (o.dilation[0] != 1 || o.dilation[1] != 1) raise<Error>("[avg_pool2d] takes no dilation");
}

}  // namespace

Array avg_pool2d(const Array& x, const PoolOptions& options) {
  check_dtype(x, "avg_pool2d");
  check_no_dilation(options);
  const Windows w = windows_of(dims_of(x), options, "avg_pool2d");
  Array out = Array::empty(w.out, x.dtype);
  kernels<PoolTable>().avg_pool2d(contiguous(x), w.h, w.w, options.divisor, out);
  return out;
}

Array avg_pool2d_backward(const Array& grad, const Dims& input_shape, const PoolOptions& options) {
  const char* op = "avg_pool2d_backward";
  check_dtype(grad, op);
  check_no_dilation(options);
  const Windows w = windows_of(input_shape, options, op);
  check_grad(grad, w.out, op);
  Array dx = full(input_shape, Scalar::of(0.0), grad.dtype);
  kernels<PoolTable>().avg_pool2d_backward(contiguous(grad), w.h, w.w, options.divisor, dx);
  return dx;
}

}  // namespace norch
