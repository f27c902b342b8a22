// The recurrent cells and the LSTM layer, with their backwards.
#include "bindings/openblas.h"
#include "bindings/python.h"
#include "ops/recurrent.h"

namespace norch {
namespace {

constexpr int64_t kExpCost = 8;  // an exp is worth several plain elements

const Array* array_or_null(const Operand& operand, const char* op) {
  return operand.object == Py_None ? nullptr : &operand.as_array(op);
}

py::tuple lstm_cell_of(const Operand& gates_, const Operand& c_) {
  const Array &gates = gates_.as_array("lstm_cell"), &c = c_.as_array("lstm_cell");
  LstmCell r = without_gil(gates.numel * kExpCost, [&] { return lstm_cell(gates, c); });
  return py::make_tuple(std::move(r.h), std::move(r.c), std::move(r.activated));
}

py::tuple lstm_cell_backward_of(const Operand& grad_h, const Operand& grad_c,
                                const Operand& activated_, const Operand& c_,
                                const Operand& c_next_) {
  const char* op = "lstm_cell_backward";
  const Array *dh = array_or_null(grad_h, op), *dc = array_or_null(grad_c, op);
  const Array &activated = activated_.as_array(op), &c = c_.as_array(op);
  const Array& c_next = c_next_.as_array(op);
  LstmCellGradients r = without_gil(
      activated.numel, [&] { return lstm_cell_backward(dh, dc, activated, c, c_next); });
  return py::make_tuple(std::move(r.dgates), std::move(r.dc));
}

py::tuple gru_cell_of(const Operand& input_, const Operand& hidden_, const Operand& h_) {
  const char* op = "gru_cell";
  const Array &input = input_.as_array(op), &hidden = hidden_.as_array(op);
  const Array& h = h_.as_array(op);
  GruCell r = without_gil(input.numel * kExpCost, [&] { return gru_cell(input, hidden, h); });
  return py::make_tuple(std::move(r.h), std::move(r.saved));
}

py::tuple gru_cell_backward_of(const Operand& grad_, const Operand& saved_, const Operand& h_) {
  const char* op = "gru_cell_backward";
  const Array &grad = grad_.as_array(op), &saved = saved_.as_array(op), &h = h_.as_array(op);
  GruCellGradients r = without_gil(saved.numel, [&] { return gru_cell_backward(grad, saved, h); });
  return py::make_tuple(std::move(r.dgates_input), std::move(r.dgates_hidden), std::move(r.dh));
}

// Multiply-adds, or more; also decides whether OpenBLAS could be wanted.
int64_t work_of(const Array& x, const Array& w_ih) {
  find_blas();
  return x.numel * (w_ih.ndim > 0 ? w_ih.shape[0] : 1);
}

py::tuple lstm_layer_of(const Operand& x, const Operand& h0, const Operand& c0, const Operand& w_ih,
                        const Operand& w_hh, const Operand& b_ih, const Operand& b_hh,
                        bool reverse) {
  const char* op = "lstm_layer";
  const LstmInput input{x.as_array(op),    h0.as_array(op),   c0.as_array(op),
                        w_ih.as_array(op), w_hh.as_array(op), reverse};
  const Array *bias_ih = array_or_null(b_ih, op), *bias_hh = array_or_null(b_hh, op);
  LstmLayer r = without_gil(work_of(input.x, input.w_ih),
                            [&] { return lstm_layer(input, bias_ih, bias_hh); });
  return py::make_tuple(std::move(r.y), std::move(r.c), std::move(r.activated));
}

py::tuple lstm_layer_backward_of(const Operand& grad_y, const Operand& grad_h,
                                 const Operand& grad_c, const Operand& x, const Operand& h0,
                                 const Operand& c0, const Operand& w_ih, const Operand& w_hh,
                                 const Operand& y, const Operand& c, const Operand& activated,
                                 bool reverse) {
  const char* op = "lstm_layer_backward";
  const LstmUpstream grad{array_or_null(grad_y, op), array_or_null(grad_h, op),
                          array_or_null(grad_c, op)};
  const LstmInput input{x.as_array(op),    h0.as_array(op),   c0.as_array(op),
                        w_ih.as_array(op), w_hh.as_array(op), reverse};
  const LstmLayer layer{y.as_array(op), c.as_array(op), activated.as_array(op)};
  LstmLayerGradients r = without_gil(work_of(input.x, input.w_ih),
                                     [&] { return lstm_layer_backward(grad, input, layer); });
  return py::make_tuple(std::move(r.dx), std::move(r.dh0), std::move(r.dc0), std::move(r.dw_ih),
                        std::move(r.dw_hh), std::move(r.dbias));
}

}  // namespace

void bind_recurrent(py::module_& m) {
  using py::arg;
  m.def("lstm_cell", &lstm_cell_of,
        "One LSTM step from the sums of the gates (N, 4H), i f g o side by side, and c (N, H): "
        "(h, c, activated gates).",
        arg("gates"), arg("c"));
  m.def("lstm_cell_backward", &lstm_cell_backward_of,
        "The gradients of lstm_cell: (dgates, dc); None for a gradient that is zero.",
        arg("grad_h"), arg("grad_c"), arg("activated"), arg("c"), arg("c_next"));
  m.def("gru_cell", &gru_cell_of,
        "One GRU step from the gates' sums over the input and over h (N, 3H), r z n side by side: "
        "(h, saved (N, 4H): r, z, n and the hidden part of n).",
        arg("gates_input"), arg("gates_hidden"), arg("h"));
  m.def("gru_cell_backward", &gru_cell_backward_of,
        "The gradients of gru_cell: (dgates_input, dgates_hidden, dh).", arg("grad"), arg("saved"),
        arg("h"));
  m.def("lstm_layer", &lstm_layer_of,
        "An LSTM layer over x (T, N, I), all steps in one call: (y, c, activated gates), of every "
        "step; `reverse` goes through time backwards.",
        arg("x"), arg("h0"), arg("c0"), arg("w_ih"), arg("w_hh"), arg("b_ih") = py::none(),
        arg("b_hh") = py::none(), arg("reverse") = false);
  m.def("lstm_layer_backward", &lstm_layer_backward_of,
        "The gradients of lstm_layer: (dx, dh0, dc0, dw_ih, dw_hh, dbias); None for a gradient "
        "that is zero; grad_h and grad_c belong to the last step's state.",
        arg("grad_y"), arg("grad_h"), arg("grad_c"), arg("x"), arg("h0"), arg("c0"), arg("w_ih"),
        arg("w_hh"), arg("y"), arg("c"), arg("activated"), arg("reverse") = false);
}

}  // namespace norch
