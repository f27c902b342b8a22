// Doors of the recurrent cells and of a whole LSTM layer: shapes and dtypes are checked here, and
// the layer's large matrix products are made here, outside its loop over time.
#pragma once

#include "core/array.h"

namespace norch {
struct LstmCell {
  Array h, c, activated;  // (N, H), (N, H), (N, 4H): i f g o
};
LstmCell lstm_cell(const Array& gates, const Array& c);

struct LstmCellGradients {
  Array dgates, dc;
};
// grad_h, grad_c: null stands for zeros.
LstmCellGradients lstm_cell_backward(const Array* grad_h, const Array* grad_c,
                                     const Array& activated, const Array& c, const Array& c_next);

struct GruCell {
  Array h, saved;  // (N, H), (N, 4H): r z n, and the hidden part of n
};
GruCell gru_cell(const Array& gates_input, const Array& gates_hidden, const Array& h);

struct GruCellGradients {
  Array dgates_input, dgates_hidden, dh;
};
GruCellGradients gru_cell_backward(const Array& grad, const Array& saved, const Array& h);

// x (T, N, I), the first state (N, H) and the layer's weights; the biases may be null.
struct LstmInput {
  const Array &x, &h0, &c0, &w_ih, &w_hh;
  bool reverse;
};
struct LstmLayer {
  Array y, c, activated;  // (T, N, H), (T, N, H), (T, N, 4H)
};
LstmLayer lstm_layer(const LstmInput& input, const Array* b_ih, const Array* b_hh);

struct LstmLayerGradients {
  Array dx, dh0, dc0, dw_ih, dw_hh, dbias;
};
// Of the outputs y and of the last state: null stands for zeros.
struct LstmUpstream {
  const Array *y, *h, *c;
};
LstmLayerGradients lstm_layer_backward(const LstmUpstream& grad, const LstmInput& input,
                                       const LstmLayer& layer);
}  // namespace norch
