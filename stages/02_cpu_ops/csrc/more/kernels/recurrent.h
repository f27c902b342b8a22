// The cells of LSTM and GRU, and a whole LSTM layer: all its time steps in one call. Shapes and
// dtypes (float32 or float64, all the same) were checked in more/ops/recurrent.cpp; every array is
// contiguous. Gates stand side by side in a row: i f g o for LSTM, r z n for GRU.
#pragma once

#include "core/array.h"
#include "core/isa.h"

namespace norch {
struct RecurrentTable {
  // activated (N, 4H) holds the gates' sums and receives sigmoid(i f o) and tanh(g);
  // c_next = f c + i g and h = o tanh(c_next), all (N, H)
  void (*lstm_cell)(Array& activated, const Array& c, Array& h, Array& c_next);
  // grad_h and grad_c (N, H) may be null: zero. dgates (N, 4H), dc (N, H)
  void (*lstm_cell_backward)(const Array* grad_h, const Array* grad_c, const Array& activated,
                             const Array& c, const Array& c_next, Array& dgates, Array& dc);
  // gates (N, 3H) of the input and of the hidden state; saved (N, 4H): r, z, n, hidden part of n
  void (*gru_cell)(const Array& gates_input, const Array& gates_hidden, const Array& h,
                   Array& h_next, Array& saved);
  void (*gru_cell_backward)(const Array& grad, const Array& saved, const Array& h,
                            Array& dgates_input, Array& dgates_hidden, Array& dh);
  // activated (T, N, 4H) holds the input's part of the gates; w_hh (4H, H); y and c (T, N, H)
  void (*lstm_steps)(const Array& h0, const Array& c0, const Array& w_hh, bool reverse,
                     Array& activated, Array& y, Array& c);
  // grad_y (T, N, H) or null; dh and dc (N, H) hold the gradients of the last state and receive
  // those of the first; dgates (T, N, 4H)
  void (*lstm_steps_backward)(const Array* grad_y, const Array& c0, const Array& w_hh,
                              const Array& c, const Array& activated, bool reverse, Array& dgates,
                              Array& dh, Array& dc);
};
}  // namespace norch
