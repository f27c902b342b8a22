// The recurrent cells and the LSTM layer, with their backwards.
#include "bindings/operation.h"
#include "more/ops/recurrent.h"

namespace norch {
// The tuple that lstm_cell, one of more's bindings, gives Python.
inline auto fields(LstmCell& r) { return std::tie(r.h, r.c, r.activated); }
// The tuple that lstm_cell_backward, one of more's bindings, gives Python.
inline auto fields(LstmCellGradients& r) { return std::tie(r.dgates, r.dc); }
// The tuple that gru_cell, one of more's bindings, gives Python.
inline auto fields(GruCell& r) { return std::tie(r.h, r.saved); }
// The tuple that gru_cell_backward, one of more's bindings, gives Python.
inline auto fields(GruCellGradients& r) { return std::tie(r.dgates_input, r.dgates_hidden, r.dh); }
// The tuple that lstm_layer, one of more's bindings, gives Python.
inline auto fields(LstmLayer& r) { return std::tie(r.y, r.c, r.activated); }
// The tuple that lstm_layer_backward, one of more's bindings, gives Python.
inline auto fields(LstmLayerGradients& r) {
  return std::tie(r.dx, r.dh0, r.dc0, r.dw_ih, r.dw_hh, r.dbias);
}

namespace {
// For more's bindings of the LSTM layer: multiply-adds, or more; also asks where OpenBLAS lies.
double work_of(const Array& x, const Array& w_ih) {
  find_blas();
  return elements(x) * static_cast<double>(w_ih.ndim > 0 ? w_ih.shape[0] : 1);
}

// One of more's bindings, which Python calls as lstm_layer.
LstmLayer lstm_layer_of(const Array& x, const Array& h0, const Array& c0, const Array& w_ih,
                        const Array& w_hh, const Array* b_ih, const Array* b_hh, bool reverse) {
  const LstmInput input{x, h0, c0, w_ih, w_hh, reverse};
  return without_gil(work_of(x, w_ih), [&] { return lstm_layer(input, b_ih, b_hh); });
}

// One of more's bindings, which Python calls as lstm_layer_backward.
LstmLayerGradients lstm_layer_backward_of(const Array* grad_y, const Array* grad_h,
                                          const Array* grad_c, const Array& x, const Array& h0,
                                          const Array& c0, const Array& w_ih, const Array& w_hh,
                                          const Array& y, const Array& c, const Array& activated,
                                          bool reverse) {
  const LstmInput input{x, h0, c0, w_ih, w_hh, reverse};
  const LstmLayer layer{y, c, activated};
  return without_gil(work_of(x, w_ih),
                     [&] { return lstm_layer_backward({grad_y, grad_h, grad_c}, input, layer); });
}
}  // namespace

// The recurrent cells and layer, as rows that become Python functions.
Table recurrent_table() {
  static const Operation rows[] = {
      {"lstm_cell(gates, c)", &lstm_cell,
       "One LSTM step from the sums of the gates (N, 4H), i f g o side by side, and c (N, H): "
       "(h, c, activated gates).",
       kExpCost},
      {"lstm_cell_backward(grad_h, grad_c, activated, c, c_next)", &lstm_cell_backward,
       "The gradients of lstm_cell: (dgates, dc); None for a gradient that is zero."},
      {"gru_cell(gates_input, gates_hidden, h)", &gru_cell,
       "One GRU step from the gates' sums over the input and over h (N, 3H), r z n side by side: "
       "(h, saved (N, 4H): r, z, n and the hidden part of n).",
       kExpCost},
      {"gru_cell_backward(grad, saved, h)", &gru_cell_backward,
       "The gradients of gru_cell: (dgates_input, dgates_hidden, dh)."},
      {"lstm_layer(x, h0, c0, w_ih, w_hh, b_ih=None, b_hh=None, reverse=False)", &lstm_layer_of,
       "An LSTM layer over x (T, N, I), all steps in one call: (y, c, activated gates), of every "
       "step; `reverse` goes through time backwards.",
       kHoldsGil},
      {"lstm_layer_backward(grad_y, grad_h, grad_c, x, h0, c0, w_ih, w_hh, y, c, activated, "
       "reverse=False)",
       &lstm_layer_backward_of,
       "The gradients of lstm_layer: (dx, dh0, dc0, dw_ih, dw_hh, dbias); None for a gradient "
       "that is zero; grad_h and grad_c belong to the last step's state.",
       kHoldsGil},
  };
  return rows;
}
}  // namespace norch
