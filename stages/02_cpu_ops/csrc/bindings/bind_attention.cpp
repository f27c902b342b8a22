// scaled_dot_product_attention and its backward.
#include "bindings/layouts.h"
#include "bindings/python.h"
#include "ops/attention.h"
#include "ops/matmul.h"

namespace norch {
namespace {

const Array* array_or_null(const Operand& operand, const char* op) {
  return operand.object == Py_None ? nullptr : &operand.as_array(op);
}

Array batch_of(const Array& a) {  // the batch dims alone
  Array batch = a;
  batch.ndim -= 2;
  batch.update();
  return batch;
}

// The arguments of both functions, checked, with equal batch dims.
struct Arguments {
  Array q, k, v, mask_room;
  const Array* mask = nullptr;

  Arguments(const Operand& query, const Operand& key, const Operand& value, const Operand& given,
            const char* op)
      : q(query.as_array(op)), k(key.as_array(op)), v(value.as_array(op)) {
    const Array* unspread = array_or_null(given, op);
    check_attention(q, k, v, unspread, op);
    spread_batches(op);
    if (unspread != nullptr) spread_mask(*unspread, op);
  }
  Arguments(const Arguments&) = delete;

  int64_t work() const { return q.numel * k.shape[k.ndim - 2]; }

 private:
  void spread_batches(const char* op) {
    Array bq = batch_of(q), bk = batch_of(k), bv = batch_of(v);
    if (bq.same_shape(bk) && bq.same_shape(bv)) return;
    Array* const batches[] = {&bq, &bk, &bv};
    try {
      broadcast_all(batches, 3, op);
    } catch (const py::error_already_set& error) {
      if (!error.matches(PyExc_RuntimeError)) throw;
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
    } catch (const py::error_already_set& error) {
      if (!error.matches(PyExc_RuntimeError)) throw;
      refuse();
    }
    if (!mask_room.same_shape(scores)) refuse();
    mask = &mask_room;
  }
};

py::tuple forward(const Operand& query, const Operand& key, const Operand& value,
                  const Operand& mask, bool is_causal, std::optional<double> scale) {
  const char* op = "scaled_dot_product_attention";
  const Arguments a(query, key, value, mask, op);
  Attention r =
      without_gil(a.work(), [&] { return attention(a.q, a.k, a.v, a.mask, is_causal, scale); });
  return py::make_tuple(std::move(r.out), std::move(r.logsumexp));
}

py::tuple backward(const Operand& grad, const Operand& query, const Operand& key,
                   const Operand& value, const Operand& out, const Operand& logsumexp,
                   const Operand& mask, bool is_causal, std::optional<double> scale) {
  const char* op = "scaled_dot_product_attention_backward";
  const Arguments a(query, key, value, mask, op);
  const Array &g = grad.as_array(op), &o = out.as_array(op), &lse = logsumexp.as_array(op);
  AttentionGradients r = without_gil(a.work(), [&] {
    return attention_backward(g, a.q, a.k, a.v, o, lse, a.mask, is_causal, scale);
  });
  return py::make_tuple(std::move(r.dq), std::move(r.dk), std::move(r.dv));
}

}  // namespace

void bind_attention(py::module_& m) {
  using py::arg;
  m.def("scaled_dot_product_attention", &forward,
        "softmax(scale q k.T + mask) v for q (..., L, E), k (..., S, E), v (..., S, Ev), and the "
        "logsumexp (..., L) of the scores. The mask is bool (true: may look) or is added.",
        arg("q"), arg("k"), arg("v"), arg("mask") = py::none(), arg("is_causal") = false,
        arg("scale") = py::none());
  m.def("scaled_dot_product_attention_backward", &backward,
        "The gradients of scaled_dot_product_attention: (dq, dk, dv), in the broadcast batch.",
        arg("grad"), arg("q"), arg("k"), arg("v"), arg("out"), arg("logsumexp"),
        arg("mask") = py::none(), arg("is_causal") = false, arg("scale") = py::none());
}

}  // namespace norch
