// Checks and allocation for pooling.
#include "ops/pool.h"

#include <algorithm>
#include <string>

#include "kernels/pool.h"
#include "ops/copy.h"

namespace norch {
namespace {
// "[max_pool2d" + "_backward"
std::string op_name(const char* op, int dims, const char* end = "") {
  return std::string(op) + (dims == 2 ? "2d" : "3d") + end;
}

struct Cut {
  Windows windows;
  Dims out;  // the shape of the result
};

// Refuses to pool what is not floating.
void check_dtype(const Array& a, const std::string& op) {
  if (!is_floating(a.dtype)) {
    raise<DTypeError>("[", op, "] expected a floating dtype, got ", name_of(a.dtype));
  }
}

// A window with nothing but padding under it has neither a maximum nor a mean.  With padding of at
// most half the kernel only dilation, or an input without elements, leaves one.
void check_not_hollow(const Window& w, const std::string& op) {
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

// The windows of a pooling and its result's shape, all checked.
Cut windows_of(const Dims& shape, int dims, const PoolOptions& o, const std::string& op) {
  if (shape.n != dims + 1 && shape.n != dims + 2) {
    raise<ShapeError>("[", op, "] expected x ",
                      dims == 2 ? "(N, C, H, W) or (C, H, W)" : "(N, C, D, H, W) or (C, D, H, W)",
                      ", got ", shape_text(shape.v, shape.n));
  }
  Cut cut{{{1, 1, 1, 0, 1, 1}, {}, {}}, shape};
  Window* each[] = {&cut.windows.d, &cut.windows.h, &cut.windows.w};
  for (int i = kDirections - dims; i < kDirections; ++i) {
    const int dim = shape.n - kDirections + i;
    *each[i] = window_of(shape[dim], o.kernel[i], o, i, op.c_str());
    cut.out[dim] = each[i]->out;
    if (o.padding[i] > ((o.kernel[i] - 1) * o.dilation[i] + 1) / 2) {
      raise<Error>("[", op, "] padding ", o.padding[i], " is more than half of kernel ",
                   o.kernel[i], " with dilation ", o.dilation[i],
                   ": some windows would hold nothing but padding");
    }
  }
  for (const Window* w : each) check_not_hollow(*w, op);
  return cut;
}

// Refuses a dilation, which avg_pool has not.
void check_no_dilation(const PoolOptions& o, const std::string& op) {
  for (const int64_t d : o.dilation) {
    if (d != 1) raise<Error>("[", op, "] takes no dilation");
  }
}

// Says which place of a maximum lies outside its plane; there is one.
[[noreturn]] void refuse_places(const Array& places, int64_t plane, const std::string& op) {
  const int64_t* wrong = places.data<int64_t>();
  while (uint64_t(*wrong) < uint64_t(plane)) ++wrong;
  raise<IndexError>("[", op, "] index ", *wrong, " lies outside a plane of ", plane);
}
}  // namespace

// Door of max_pool: checks, allocates, then the kernel.
std::pair<Array, Array> max_pool(const Array& x, int dims, const PoolOptions& options) {
  const std::string op = op_name("max_pool", dims);
  if (x.dtype == DType::kBool) {
    raise<DTypeError>("[", op, "] expected numbers, got bool: cast to uint8 first");
  }
  const Cut cut = windows_of(dims_of(x), dims, options, op);
  const DType wide = is_integral(x.dtype) ? DType::kInt64 : compute_type(x.dtype);
  Array out = Array::empty(cut.out, wide), index = Array::empty(cut.out, DType::kInt64);
  kernels<PoolTable>().max_pool(contiguous_as(x, wide), cut.windows, out, index);
  return {cast(out, x.dtype), index};
}

// Door of max_pool_backward: checks every place, then the kernel.
Array max_pool_backward(const Array& grad, int dims, const Array& index, const Dims& input_shape) {
  const std::string op = op_name("max_pool", dims, "_backward");
  check_dtype(grad, op);
  check_grad(grad, dims_of(index), op.c_str());
  const int first = grad.ndim - dims;  // of the dimensions under the window
  const bool fits = input_shape.n == grad.ndim && first >= 1 && index.dtype == DType::kInt64 &&
                    std::equal(grad.shape, grad.shape + first, input_shape.v);
  if (!fits) {
    raise<ShapeError>("[", op, "] index (int64) and grad ", grad.shape_text(),
                      " do not belong to an input of shape ",
                      shape_text(input_shape.v, input_shape.n));
  }
  const DType wide = compute_type(grad.dtype);
  checked_numel(input_shape.v, input_shape.n, itemsize_of(wide), op.c_str());
  int64_t plane = 1;
  for (int i = first; i < input_shape.n; ++i) plane *= input_shape[i];
  const Array places = contiguous(index);
  Array dx = Array::empty(input_shape, wide);
  const int64_t planes = plane == 0 ? 0 : dx.numel / plane;
  const bool all_inside = planes == 0 ? places.numel == 0
                                      : kernels<PoolTable>().max_pool_backward(
                                            contiguous_as(grad, wide), places, dx, planes);
  if (!all_inside) refuse_places(places, plane, op);
  return cast(dx, grad.dtype);
}

// Door of avg_pool: checks, allocates, then the kernel.
Array avg_pool(const Array& x, int dims, const PoolOptions& options) {
  const std::string op = op_name("avg_pool", dims);
  check_dtype(x, op);
  check_no_dilation(options, op);
  const Cut cut = windows_of(dims_of(x), dims, options, op);
  const DType wide = compute_type(x.dtype);
  Array out = Array::empty(cut.out, wide);
  kernels<PoolTable>().avg_pool(contiguous_as(x, wide), cut.windows, options.divisor, out);
  return cast(out, x.dtype);
}

// Door of avg_pool_backward: checks, allocates, then the kernel.
Array avg_pool_backward(const Array& grad, int dims, const Dims& input_shape,
                        const PoolOptions& options) {
  const std::string op = op_name("avg_pool", dims, "_backward");
  check_dtype(grad, op);
  check_no_dilation(options, op);
  const Cut cut = windows_of(input_shape, dims, options, op);
  check_grad(grad, cut.out, op.c_str());
  const DType wide = compute_type(grad.dtype);
  Array dx = Array::empty(input_shape, wide);
  kernels<PoolTable>().avg_pool_backward(contiguous_as(grad, wide), cut.windows, options.divisor,
                                         dx);
  return cast(dx, grad.dtype);
}
}  // namespace norch
