// scaled_dot_product_attention and its backward.
#include "bindings/layouts.h"
#include "bindings/operation.h"
#include "ops/attention.h"
#include "ops/matmul.h"

namespace norch {
// The tuple that the binding of attention gives Python.
inline auto fields(Attention& r) { return std::tie(r.out, r.logsumexp); }
// The tuple that the binding of attention's gradients gives Python.
inline auto fields(AttentionGradients& r) { return std::tie(r.dq, r.dk, r.dv); }

namespace {
// The arguments of both functions, checked, with equal batch dims.
struct Arguments {
  Array q, k, v, mask_room;
  const Array* mask = nullptr;

  Arguments(const Array& query, const Array& key, const Array& value, const Array* given,
            const char* op)
      : q(query), k(key), v(value) {
    check_attention(q, k, v, given, op);
    spread_batches(op);
    if (given != nullptr) spread_mask(*given, op);
  }
  Arguments(const Arguments&) = delete;

  double work() const { return elements(q) * static_cast<double>(k.shape[k.ndim - 2]); }

 private:
  void spread_batches(const char* op) {
    Array bq = batch_of(q), bk = batch_of(k), bv = batch_of(v);
    if (bq.same_shape(bk) && bq.same_shape(bv)) return;
    Array* const batches[] = {&bq, &bk, &bv};
    try {
      broadcast_all(batches, 3, op);
    } catch (const PythonError&) {
      clear_runtime_error();
      raise<ShapeError>("[", op, "] batches ", batch_of(q).shape_text(), ", ",
                        batch_of(k).shape_text(), " and ", batch_of(v).shape_text(),
                        " of query, key and value do not broadcast: sizes must be equal, or 1");
    }
    q = with_batch(q, bq);
    k = with_batch(k, bk);
    v = with_batch(v, bv);
  }

  void spread_mask(const Array& given, const char* op) {
    Array scores = q;  // only its shape matters: (..., L, S)
    scores.shape[q.ndim - 1] = k.shape[k.ndim - 2];
    const auto refuse = [&] {
      raise<ShapeError>("[", op, "] a mask of shape ", given.shape_text(),
                        " does not broadcast to the scores' ", scores.shape_text());
    };
    try {
      Array model = scores;
      mask_room = given;
      if (!given.same_shape(scores)) broadcast(mask_room, model);
    } catch (const PythonError&) {
      clear_runtime_error();
      refuse();
    }
    if (!mask_room.same_shape(scores)) refuse();
    mask = &mask_room;
  }
};

// The binding that Python calls as scaled_dot_product_attention.
Attention forward(const Array& query, const Array& key, const Array& value, const Array* mask,
                  bool is_causal, std::optional<double> scale) {
  const Arguments a(query, key, value, mask, "scaled_dot_product_attention");
  return without_gil(a.work(), [&] { return attention(a.q, a.k, a.v, a.mask, is_causal, scale); });
}

// The binding that Python calls as scaled_dot_product_attention_backward.
AttentionGradients backward(const Array& grad, const Array& query, const Array& key,
                            const Array& value, const Array& out, const Array& logsumexp,
                            const Array* mask, bool is_causal, std::optional<double> scale) {
  const Arguments a(query, key, value, mask, "scaled_dot_product_attention_backward");
  return without_gil(a.work(), [&] {
    return attention_backward(grad, a.q, a.k, a.v, out, logsumexp, a.mask, is_causal, scale);
  });
}
}  // namespace

// Attention, as rows that become Python functions.
Table attention_table() {
  static const Operation rows[] = {
      {"scaled_dot_product_attention(q, k, v, mask=None, is_causal=False, scale=None)", &forward,
       "softmax(scale q k.T + mask) v for q (..., L, E), k (..., S, E), v (..., S, Ev), and the "
       "logsumexp (..., L) of the scores. The mask is bool (true: may look) or is added.",
       kHoldsGil},
      {"scaled_dot_product_attention_backward(grad, q, k, v, out, logsumexp, mask=None, "
       "is_causal=False, scale=None)",
       &backward,
       "The gradients of scaled_dot_product_attention: (dq, dk, dv), in the broadcast batch.",
       kHoldsGil},
  };
  return rows;
}
}  // namespace norch
