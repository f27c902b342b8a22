// Checks and allocation for the recurrent cells; the matrix products around an LSTM layer's steps.
#include "more/ops/recurrent.h"

#include <algorithm>
#include <utility>

#include "more/kernels/recurrent.h"
#include "ops/copy.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

namespace norch {
namespace {
// Refuses an argument of a recurrent op of another shape or dtype; messages call it `name`.
void expect(const Array& a, const char* name, const Dims& wanted, const Array& model,
            const char* op) {
  if (a.ndim != wanted.n || !std::equal(wanted.begin(), wanted.end(), a.shape)) {
    raise<ShapeError>("[", op, "] ", name, " has shape ", a.shape_text(), ", expected ",
                      shape_text(wanted.v, wanted.n));
  }
  if (a.dtype != model.dtype) {
    raise<DTypeError>("[", op, "] ", name, " is ", name_of(a.dtype), ", expected ",
                      name_of(model.dtype), " as the rest");
  }
}

// Refuses an argument of a cell that is not floating or has other dims.
void expect_floating(const Array& a, const char* name, int rank, const char* op) {
  if (!is_floating(a.dtype)) {
    raise<DTypeError>("[", op, "] expected floating arrays, got ", name_of(a.dtype), ": cast ",
                      name, " to float32 first");
  }
  if (a.ndim != rank) {
    raise<ShapeError>("[", op, "] ", name, " has shape ", a.shape_text(), ", expected ", rank,
                      " dimensions");
  }
}

// An argument as the kernels of cells read it: contiguous, halves as float32.
Array ready(const Array& a) { return contiguous_as(a, compute_type(a.dtype)); }

// New memory for a cell's result.
Array make(const Dims& sizes, DType dtype) { return Array::empty(sizes, dtype); }
}  // namespace

// Door of lstm_cell: checks the shapes, allocates, calls the kernel.
LstmCell lstm_cell(const Array& gates, const Array& c) {
  const char* op = "lstm_cell";
  expect_floating(c, "c", 2, op);
  const int64_t rows = c.shape[0], n = c.shape[1];
  expect(gates, "gates", {rows, 4 * n}, c, op);
  const Array state = ready(c);
  Array activated = cast(gates, state.dtype);
  activated = activated.shares_storage(gates) ? clone(activated) : contiguous(activated);
  LstmCell r{make({rows, n}, state.dtype), make({rows, n}, state.dtype), activated};
  kernels<RecurrentTable>().lstm_cell(r.activated, state, r.h, r.c);
  return {cast(r.h, c.dtype), cast(r.c, c.dtype), cast(r.activated, c.dtype)};
}

// Door of lstm_cell_backward: checks the shapes, allocates, calls the kernel.
LstmCellGradients lstm_cell_backward(const Array* grad_h, const Array* grad_c,
                                     const Array& activated, const Array& c, const Array& c_next) {
  const char* op = "lstm_cell_backward";
  expect_floating(c, "c", 2, op);
  const int64_t rows = c.shape[0], n = c.shape[1];
  if (grad_h != nullptr) expect(*grad_h, "grad_h", {rows, n}, c, op);
  if (grad_c != nullptr) expect(*grad_c, "grad_c", {rows, n}, c, op);
  expect(activated, "activated", {rows, 4 * n}, c, op);
  expect(c_next, "c_next", {rows, n}, c, op);
  const Optional dh(grad_h), dc(grad_c);
  const DType dtype = compute_type(c.dtype);
  LstmCellGradients r{make({rows, 4 * n}, dtype), make({rows, n}, dtype)};
  kernels<RecurrentTable>().lstm_cell_backward(dh.get, dc.get, ready(activated), ready(c),
                                               ready(c_next), r.dgates, r.dc);
  return {cast(r.dgates, c.dtype), cast(r.dc, c.dtype)};
}

// Door of gru_cell: checks the shapes, allocates, calls the kernel.
GruCell gru_cell(const Array& gates_input, const Array& gates_hidden, const Array& h) {
  const char* op = "gru_cell";
  expect_floating(h, "h", 2, op);
  const int64_t rows = h.shape[0], n = h.shape[1];
  expect(gates_input, "gates_input", {rows, 3 * n}, h, op);
  expect(gates_hidden, "gates_hidden", {rows, 3 * n}, h, op);
  const DType dtype = compute_type(h.dtype);
  GruCell r{make({rows, n}, dtype), make({rows, 4 * n}, dtype)};
  kernels<RecurrentTable>().gru_cell(ready(gates_input), ready(gates_hidden), ready(h), r.h,
                                     r.saved);
  return {cast(r.h, h.dtype), cast(r.saved, h.dtype)};
}

// Door of gru_cell_backward: checks the shapes, allocates, calls the kernel.
GruCellGradients gru_cell_backward(const Array& grad, const Array& saved, const Array& h) {
  const char* op = "gru_cell_backward";
  expect_floating(h, "h", 2, op);
  const int64_t rows = h.shape[0], n = h.shape[1];
  expect(grad, "grad", {rows, n}, h, op);
  expect(saved, "saved", {rows, 4 * n}, h, op);
  const DType dtype = compute_type(h.dtype);
  GruCellGradients r{make({rows, 3 * n}, dtype), make({rows, 3 * n}, dtype),
                     make({rows, n}, dtype)};
  kernels<RecurrentTable>().gru_cell_backward(ready(grad), ready(saved), ready(h), r.dgates_input,
                                              r.dgates_hidden, r.dh);
  return {cast(r.dgates_input, h.dtype), cast(r.dgates_hidden, h.dtype), cast(r.dh, h.dtype)};
}

namespace {
struct LayerSizes {
  int64_t steps, rows, in, n;
};

// Checks the arguments of an LSTM layer; their sizes.
LayerSizes check_layer(const LstmInput& a, const char* op) {
  expect_floating(a.x, "x", 3, op);
  expect_floating(a.w_hh, "w_hh", 2, op);
  const LayerSizes s{a.x.shape[0], a.x.shape[1], a.x.shape[2], a.w_hh.shape[1]};
  if (s.steps == 0) raise<ShapeError>("[", op, "] x has no time steps: expected at least one");
  expect(a.w_hh, "w_hh", {4 * s.n, s.n}, a.x, op);
  expect(a.w_ih, "w_ih", {4 * s.n, s.in}, a.x, op);
  expect(a.h0, "h0", {s.rows, s.n}, a.x, op);
  expect(a.c0, "c0", {s.rows, s.n}, a.x, op);
  return s;
}

// Refuses a bias of an LSTM layer of another shape or dtype.
void check_bias(const Array* bias, const char* name, const LstmInput& a, const LayerSizes& s) {
  if (bias != nullptr) expect(*bias, name, {4 * s.n}, a.x, "lstm_layer");
}

// For the recurrent ops of an LSTM layer: a contiguous array as a matrix, a row for each step and
// sample.
Array as_rows(const Array& a, int64_t rows, int64_t cols) { return a.reshaped({rows, cols}); }

// For the recurrent ops of an LSTM layer: some rows of a matrix.
Array rows_between(Array a, int64_t first, int64_t count) {
  a.offset += first * a.strides[0];
  a.shape[0] = count;
  a.update();
  return a;
}

// For the recurrent ops of an LSTM layer: out (+)= a b, by the matmul kernel.
void add_product(const Array& a, const Array& b, Array& out, bool accumulate) {
  kernels<MatmulTable>().matmul(a, b, out, accumulate, MatmulPath::kAutomatic);
}

// An LSTM layer's gradient of w_hh. The steps' states before them are the first state, then all
// outputs but the last: two products.
Array recurrent_gradient(const Array& dgates, const Array& h0, const Array& y, const LayerSizes& s,
                         bool reverse) {
  Array dw = make({4 * s.n, s.n}, dgates.dtype);
  const int64_t rest = (s.steps - 1) * s.rows;
  const Array d = as_rows(dgates, s.steps * s.rows, 4 * s.n);
  const Array states = as_rows(y, s.steps * s.rows, s.n);
  const int64_t first = reverse ? rest : 0;
  add_product(transposed(rows_between(d, first, s.rows)), h0, dw, false);
  if (rest == 0) return dw;
  const Array later = rows_between(d, reverse ? 0 : s.rows, rest);
  add_product(transposed(later), rows_between(states, reverse ? s.rows : 0, rest), dw, true);
  return dw;
}

// A gradient of an LSTM layer to be written to: a copy of what was given, or zeros.
Array zeros_or_clone(const Array* a, const Dims& sizes, DType dtype) {
  if (a != nullptr) {
    const Array converted = cast(*a, dtype);
    return converted.shares_storage(*a) ? clone(converted) : contiguous(converted);
  }
  return full(sizes, Scalar::of(0.0), dtype);
}
}  // namespace

// Door of lstm_layer: checks, one product for all inputs, then the steps.
LstmLayer lstm_layer(const LstmInput& a, const Array* b_ih, const Array* b_hh) {
  const LayerSizes s = check_layer(a, "lstm_layer");
  check_bias(b_ih, "b_ih", a, s);
  check_bias(b_hh, "b_hh", a, s);
  const Array x = ready(a.x);
  const DType dtype = x.dtype;
  Array bias;
  const Array* b = b_ih != nullptr ? b_ih : b_hh;
  if (b != nullptr) {
    bias = cast(*b, dtype);
    const Array other = cast(*(b_hh != nullptr ? b_hh : b), dtype);
    if (b_ih != nullptr && b_hh != nullptr) {
      bias = arithmetic(ArithmeticOp::kAdd, Term{&bias, {}}, Term{&other, {}});
    }
  }
  const Array gates = linear(as_rows(x, s.steps * s.rows, s.in), ready(a.w_ih),
                             b == nullptr ? nullptr : &bias, nullptr);
  LstmLayer r{make({s.steps, s.rows, s.n}, dtype), make({s.steps, s.rows, s.n}, dtype),
              gates.reshaped({s.steps, s.rows, 4 * s.n})};
  kernels<RecurrentTable>().lstm_steps(ready(a.h0), ready(a.c0), ready(a.w_hh), a.reverse,
                                       r.activated, r.y, r.c);
  return {cast(r.y, a.x.dtype), cast(r.c, a.x.dtype), cast(r.activated, a.x.dtype)};
}

// Door of lstm_layer_backward: checks, the steps, then the large products.
LstmLayerGradients lstm_layer_backward(const LstmUpstream& grad, const LstmInput& a,
                                       const LstmLayer& layer) {
  const char* op = "lstm_layer_backward";
  const LayerSizes s = check_layer(a, op);
  if (grad.y != nullptr) expect(*grad.y, "grad_y", {s.steps, s.rows, s.n}, a.x, op);
  if (grad.h != nullptr) expect(*grad.h, "grad_h", {s.rows, s.n}, a.x, op);
  if (grad.c != nullptr) expect(*grad.c, "grad_c", {s.rows, s.n}, a.x, op);
  expect(layer.y, "y", {s.steps, s.rows, s.n}, a.x, op);
  expect(layer.c, "c", {s.steps, s.rows, s.n}, a.x, op);
  expect(layer.activated, "activated", {s.steps, s.rows, 4 * s.n}, a.x, op);
  const DType dtype = compute_type(a.x.dtype), given = a.x.dtype;
  const Optional dy(grad.y);
  Array dh = zeros_or_clone(grad.h, {s.rows, s.n}, dtype);
  Array dc = zeros_or_clone(grad.c, {s.rows, s.n}, dtype);
  Array dgates = make({s.steps, s.rows, 4 * s.n}, dtype);
  kernels<RecurrentTable>().lstm_steps_backward(dy.get, ready(a.c0), ready(a.w_hh), ready(layer.c),
                                                ready(layer.activated), a.reverse, dgates, dh, dc);
  const int64_t rows = s.steps * s.rows;
  const Array d = as_rows(dgates, rows, 4 * s.n), x = as_rows(ready(a.x), rows, s.in);
  Array dx = make({s.steps, s.rows, s.in}, dtype), dw_ih = make({4 * s.n, s.in}, dtype);
  Array dx_rows = as_rows(dx, rows, s.in);
  add_product(d, ready(a.w_ih), dx_rows, false);
  add_product(transposed(d), x, dw_ih, false);
  const Array dw_hh = recurrent_gradient(dgates, ready(a.h0), ready(layer.y), s, a.reverse);
  const Array dbias = reduce(ReduceOp::kSum, d, {0}, false);
  return {cast(dx, given),    cast(dh, given),    cast(dc, given),
          cast(dw_ih, given), cast(dw_hh, given), cast(dbias, given)};
}
}  // namespace norch
