// Checks and allocation for the softmax family.
#include "ops/softmax.h"

#include <algorithm>

#include "kernels/softmax.h"
#include "ops/copy.h"

namespace norch {
namespace {
using Kernel = void (*)(const Array&, int, Array&);

// float16 and bfloat16 are computed in float32.
Array computable(const Array& a) { return cast(a, compute_type(a.dtype)); }

// Runs a kernel of the softmax family along a dim, checked.
Array along(const Array& a, int64_t dim, Kernel kernel, const char* op) {
  check_floating(a, op);
  const int d = normalize_dim(dim, a.ndim, op);
  const Array input = computable(a);
  Array out = Array::empty_like(input, input.dtype);
  kernel(input, d, out);
  return cast(out, a.dtype);
}

using BackwardKernel = void (*)(const Array&, const Array&, int, Array&);

// Runs a gradient kernel of the softmax family along a dim, checked.
Array backward_along(const Array& grad, const Array& y, int64_t dim, BackwardKernel kernel,
                     const char* op) {
  check_floating(y, op);
  const int d = normalize_dim(dim, y.ndim, op);
  if (!grad.same_shape(y) || grad.dtype != y.dtype) {
    raise<ShapeError>("[", op, "] grad is ", name_of(grad.dtype), " ", grad.shape_text(), " but y ",
                      name_of(y.dtype), " ", y.shape_text(), ": both must be alike");
  }
  const Array g = computable(grad), saved = computable(y);
  Array out = Array::empty_like(saved, saved.dtype);
  kernel(g, saved, d, out);
  return cast(out, y.dtype);
}

// The same elements with the dims in `last` behind all others, merged into one.
Array move_last(const Array& a, const bool* last) {
  Array view = a;
  int n = 0;
  for (const bool wanted : {false, true}) {
    for (int i = 0; i < a.ndim; ++i) {
      if (last[i] != wanted) continue;
      view.shape[n] = a.shape[i];
      view.strides[n++] = a.strides[i];
    }
  }
  view.update();
  Dims sizes;
  int64_t merged = 1;
  for (int i = 0; i < a.ndim; ++i) {
    if (last[i])
      merged *= a.shape[i];
    else
      sizes.push(a.shape[i]);
  }
  sizes.push(merged);
  return contiguous(view).reshaped(sizes);
}

// Refuses logits and targets that do not match.
void check_cross_entropy(const Array& logits, const Array& target, int64_t ignore_index,
                         const char* op) {
  check_floating(logits, op);
  if (target.dtype != DType::kInt64) {
    raise<DTypeError>("[", op, "] expected target of dtype int64, got ", name_of(target.dtype));
  }
  if (logits.ndim != 2 || target.ndim != 1 || logits.shape[0] != target.shape[0]) {
    raise<ShapeError>("[", op, "] logits ", logits.shape_text(), " and target ",
                      target.shape_text(), " do not match: expected (N, C) and (N,)");
  }
  const int64_t* classes = target.data<int64_t>();
  for (int64_t i = 0; i < target.shape[0]; ++i) {
    const int64_t c = classes[i * target.strides[0]];
    if (c != ignore_index && (c < 0 || c >= logits.shape[1])) {
      raise<IndexError>("[", op, "] target ", c, " in row ", i, " is out of range: expected 0 to ",
                        logits.shape[1] - 1, " or ignore_index ", ignore_index);
    }
  }
}
}  // namespace

// Door of softmax.
Array softmax(const Array& a, int64_t dim) {
  return along(a, dim, kernels<SoftmaxTable>().softmax, "softmax");
}

// Door of log_softmax.
Array log_softmax(const Array& a, int64_t dim) {
  return along(a, dim, kernels<SoftmaxTable>().log_softmax, "log_softmax");
}

// Door of softmax_backward.
Array softmax_backward(const Array& grad, const Array& y, int64_t dim) {
  return backward_along(grad, y, dim, kernels<SoftmaxTable>().softmax_backward, "softmax_backward");
}

// Door of log_softmax_backward.
Array log_softmax_backward(const Array& grad, const Array& y, int64_t dim) {
  return backward_along(grad, y, dim, kernels<SoftmaxTable>().log_softmax_backward,
                        "log_softmax_backward");
}

// Door of logsumexp: the dims become one line, then the kernel.
Array logsumexp(const Array& a, const Dims& dims, bool keepdim) {
  const Array input = is_floating(a.dtype) ? computable(a) : cast(a, DType::kFloat32);
  bool reduced[kMaxDims] = {};
  for (const int64_t d : dims) reduced[d] = true;
  Dims sizes;
  for (int i = 0; i < a.ndim; ++i) {
    if (!reduced[i])
      sizes.push(a.shape[i]);
    else if (keepdim)
      sizes.push(1);
  }
  Array out = Array::empty(sizes, input.dtype);
  if (dims.n == 1) {
    kernels<SoftmaxTable>().logsumexp(input, static_cast<int>(dims[0]), out);
  } else {
    const Array rows = move_last(input, reduced);
    kernels<SoftmaxTable>().logsumexp(rows, rows.ndim - 1, out);
  }
  return is_half(a.dtype) ? cast(out, a.dtype) : out;
}

// Door of cross_entropy: checks every target, then the kernel.
std::pair<Array, Array> cross_entropy(const Array& logits, const Array& target,
                                      int64_t ignore_index) {
  check_cross_entropy(logits, target, ignore_index, "cross_entropy");
  const Array input = computable(logits), classes = contiguous(target);
  Array losses = Array::empty(input.shape, 1, input.dtype);
  Array lse = Array::empty(input.shape, 1, input.dtype);
  kernels<SoftmaxTable>().cross_entropy(input, classes.data<int64_t>(), ignore_index, losses, lse);
  return {losses, lse};
}

namespace {
// The gradient of a batch's loss may be one number: it is seen once for every row, with stride 0.
Array for_rows(const Array& grad, const Array& target) {
  if (grad.ndim > 0) return grad;
  Array rows = target;
  rows.storage = grad.storage;
  rows.dtype = grad.dtype;
  rows.offset = grad.offset;
  rows.strides[0] = 0;
  rows.update();
  return rows;
}
}  // namespace

// Door of cross_entropy_backward: checks, then the kernel.
Array cross_entropy_backward(const Array& given, const Array& logits, const Array& lse,
                             const Array& target, int64_t ignore_index) {
  const char* op = "cross_entropy_backward";
  check_cross_entropy(logits, target, ignore_index, op);
  const Array grad = for_rows(given, target);
  for (const Array* row : {&grad, &lse}) {
    if (!row->same_shape(target)) {
      raise<ShapeError>("[", op, "] grad ", grad.shape_text(), " and logsumexp ", lse.shape_text(),
                        " must both have the shape of target ", target.shape_text());
    }
    check_floating(*row, op);
  }
  const Array input = computable(logits), classes = contiguous(target);
  Array out = Array::empty_like(input, input.dtype);
  kernels<SoftmaxTable>().cross_entropy_backward(cast(grad, input.dtype), input,
                                                 cast(lse, input.dtype), classes.data<int64_t>(),
                                                 ignore_index, out);
  return cast(out, logits.dtype);
}
}  // namespace norch
