// Checks, views and allocation for scaled dot-product attention.
#include "ops/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/attention.h"
#include "ops/copy.h"

namespace norch {
namespace {
// The size of a dim counted from the end.
int64_t size_at_end(const Array& a, int back) { return a.shape[a.ndim - back]; }

// The same elements with unit stride along the last dim, as the kernels want them.
Array with_unit_columns(const Array& a, DType dtype) {
  const Array converted = cast(a, dtype);
  const bool is_packed = converted.shape[a.ndim - 1] <= 1 || converted.strides[a.ndim - 1] == 1;
  Array result = is_packed ? converted : contiguous(converted);
  if (result.shape[a.ndim - 1] <= 1) result.strides[a.ndim - 1] = 1;
  return result;
}

// New memory without gaps whose dims lie in the order of the model's: a view that split heads from
// (batch, time, heads, size) gets results that join again without a copy.
Array empty_in_order_of(const Array& model, const Dims& sizes, DType dtype) {
  int order[kMaxDims];
  const int last = sizes.n - 1;
  for (int i = 0; i < last; ++i) order[i] = i;
  std::stable_sort(order, order + last, [&](int i, int j) {
    return std::abs(model.strides[i]) > std::abs(model.strides[j]);
  });
  Array out = Array::empty(sizes, dtype);
  int64_t step = std::max<int64_t>(1, sizes[last]);
  for (int i = last - 1; i >= 0; --i) {
    out.strides[order[i]] = step;
    step *= std::max<int64_t>(1, sizes[order[i]]);
  }
  out.update();
  return out;
}

// A gradient of zeros, its dims in memory in the order of the model's.
Array zeros_like(const Array& model, DType dtype) {
  Array out = empty_in_order_of(model, dims_of(model), dtype);
  if (out.numel > 0) std::memset(out.bytes(), 0, static_cast<size_t>(out.nbytes()));
  return out;
}

// The batch dims of q and one more.
Dims batch_and(const Array& a, int64_t size) {
  Dims sizes(a.shape, a.ndim - 2);
  sizes.push(size);
  return sizes;
}

// What the kernels read: halves are computed in float32; the mask stays bool or becomes as the
// rest.
struct Prepared {
  AttentionInput in;
  Array mask;

  Prepared(const Array& q, const Array& k, const Array& v, const Array* given, bool is_causal,
           std::optional<double> scale) {
    const DType dtype = compute_type(q.dtype);
    in.q = with_unit_columns(q, dtype);
    in.k = with_unit_columns(k, dtype);
    in.v = with_unit_columns(v, dtype);
    in.mask = nullptr;
    if (given != nullptr) {
      mask = given->dtype == DType::kBool ? *given : cast(*given, dtype);
      in.mask = &mask;
    }
    in.is_causal = is_causal;
    const double length = static_cast<double>(std::max<int64_t>(1, size_at_end(q, 1)));
    in.scale = scale.value_or(1 / std::sqrt(length));
  }
  Prepared(const Prepared&) = delete;
};
}  // namespace

// Refuses q, k, v and mask that do not belong together.
void check_attention(const Array& q, const Array& k, const Array& v, const Array* mask,
                     const char* op) {
  if (q.ndim < 2 || k.ndim < 2 || v.ndim < 2 || size_at_end(q, 1) != size_at_end(k, 1) ||
      size_at_end(k, 2) != size_at_end(v, 2)) {
    raise<ShapeError>("[", op, "] query ", q.shape_text(), ", key ", k.shape_text(), " and value ",
                      v.shape_text(), " do not match: expected (..., L, E), (..., S, E) and ",
                      "(..., S, Ev)");
  }
  if (!is_floating(q.dtype)) {
    raise<DTypeError>("[", op, "] expected floating arrays, got ", name_of(q.dtype),
                      ": cast to float32 first");
  }
  if (k.dtype != q.dtype || v.dtype != q.dtype) {
    raise<Error>("[", op, "] query, key and value must have one dtype, got ", name_of(q.dtype),
                 ", ", name_of(k.dtype), " and ", name_of(v.dtype), ": cast them first");
  }
  if (mask == nullptr || mask->dtype == DType::kBool || mask->dtype == q.dtype ||
      mask->dtype == DType::kFloat32) {
    return;
  }
  raise<Error>("[", op, "] expected a mask of bool, float32 or the query's ", name_of(q.dtype),
               ", got ", name_of(mask->dtype));
}

// Door of attention: prepares what the kernel reads, allocates the results.
Attention attention(const Array& q, const Array& k, const Array& v, const Array* mask,
                    bool is_causal, std::optional<double> scale) {
  const Prepared p(q, k, v, mask, is_causal, scale);
  const int64_t queries = size_at_end(q, 2);
  Dims sizes = batch_and(q, queries);
  Array logsumexp = Array::empty(sizes, p.in.q.dtype);
  sizes.push(size_at_end(v, 1));
  Array out = empty_in_order_of(q, sizes, p.in.q.dtype);
  if (out.shape[out.ndim - 1] <= 1) out.strides[out.ndim - 1] = 1;
  kernels<AttentionTable>().attention(p.in, out, logsumexp);
  return {cast(out, q.dtype), logsumexp};
}

// Door of attention's gradient: checks, prepares, allocates.
AttentionGradients attention_backward(const Array& grad, const Array& q, const Array& k,
                                      const Array& v, const Array& out, const Array& logsumexp,
                                      const Array* mask, bool is_causal,
                                      std::optional<double> scale) {
  const char* op = "scaled_dot_product_attention_backward";
  const Dims rows = batch_and(q, size_at_end(q, 2));
  Dims sizes = rows;
  sizes.push(size_at_end(v, 1));
  const auto has_shape = [](const Array& a, const Dims& s) {
    return a.ndim == s.n && std::equal(s.begin(), s.end(), a.shape);
  };
  if (!has_shape(grad, sizes) || !has_shape(out, sizes) || !has_shape(logsumexp, rows)) {
    raise<ShapeError>("[", op, "] expected grad and out ", shape_text(sizes.v, sizes.n),
                      " and logsumexp ", shape_text(rows.v, rows.n), ", got ", grad.shape_text(),
                      ", ", out.shape_text(), " and ", logsumexp.shape_text());
  }
  if (!is_floating(grad.dtype) || !is_floating(out.dtype) || !is_floating(logsumexp.dtype)) {
    raise<DTypeError>("[", op, "] expected floating arrays");
  }
  const Prepared p(q, k, v, mask, is_causal, scale);
  const DType dtype = p.in.q.dtype;
  AttentionGradients found{zeros_like(q, dtype), zeros_like(k, dtype), zeros_like(v, dtype)};
  kernels<AttentionTable>().attention_backward(
      with_unit_columns(grad, dtype), p.in, with_unit_columns(out, dtype),
      contiguous_as(logsumexp, dtype), found.dq, found.dk, found.dv);
  return {cast(found.dq, q.dtype), cast(found.dk, k.dtype), cast(found.dv, v.dtype)};
}
}  // namespace norch
