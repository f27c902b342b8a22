// A step multiplies a few rows (the batch) by the recurrent weight, always the same one: a layer
// packs it once (packed.h), and every step uses the packed copy.
#include "more/kernels/recurrent.h"

#include <algorithm>

#include "core/thread_pool.h"
#include "kernels/math.h"
#include "kernels/packed.h"

namespace norch {
namespace {
constexpr int64_t kGrain = 1 << 12;  // elements of h: several exp each

// One LSTM step of one sample: its gates, then c and h.
template <class T>
void lstm_row(T* __restrict gates, const T* c, int64_t n, T* __restrict h, T* __restrict c_next) {
  T *i = gates, *f = gates + n, *g = gates + 2 * n, *o = gates + 3 * n;
  for (int64_t j = 0; j < n; ++j) {
    const T in = math::sigmoid(i[j]), keep = math::sigmoid(f[j]), out = math::sigmoid(o[j]);
    const T fresh = math::tanh(g[j]), state = keep * c[j] + in * fresh;
    i[j] = in;
    f[j] = keep;
    g[j] = fresh;
    o[j] = out;
    c_next[j] = state;
    h[j] = out * math::tanh(state);
  }
}

// dh and dc: the gradients of h and c_next; dc becomes that of c.
template <class T>
void lstm_row_backward(const T* activated, const T* c, const T* c_next, int64_t n, const T* dh,
                       T* __restrict dc, T* __restrict dgates) {
  const T *i = activated, *f = i + n, *g = i + 2 * n, *o = i + 3 * n;
  T *di = dgates, *df = di + n, *dg = di + 2 * n, *d_o = di + 3 * n;
  for (int64_t j = 0; j < n; ++j) {
    const T t = math::tanh(c_next[j]);
    const T state = dc[j] + dh[j] * o[j] * (1 - t * t);
    di[j] = state * g[j] * i[j] * (1 - i[j]);
    df[j] = state * c[j] * f[j] * (1 - f[j]);
    dg[j] = state * i[j] * (1 - g[j] * g[j]);
    d_o[j] = dh[j] * t * o[j] * (1 - o[j]);
    dc[j] = state * f[j];
  }
}

// row(r) for the rows of a batch (N, H), in parallel.
template <class F>
void for_rows(int64_t rows, int64_t n, F row) {
  parallel_for(rows, std::max<int64_t>(1, kGrain / (n + 1)), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) row(r);
  });
}

// The kernel of lstm_cell: samples in parallel.
void lstm_cell(Array& activated, const Array& c, Array& h, Array& c_next) {
  const int64_t n = c.shape[1];
  visit_floating(c.dtype, "lstm_cell", [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_rows(c.shape[0], n, [&](int64_t r) {
      lstm_row(activated.data<T>() + r * 4 * n, c.data<T>() + r * n, n, h.data<T>() + r * n,
               c_next.data<T>() + r * n);
    });
  });
}

// Copies a gradient, or writes zeros where there is none.
template <class T>
void copy_or_zero(const T* from, int64_t n, T* to) {
  if (from == nullptr)
    std::fill_n(to, n, T(0));
  else
    std::copy_n(from, n, to);
}

// The kernel of lstm_cell's gradient.
void lstm_cell_backward(const Array* grad_h, const Array* grad_c, const Array& activated,
                        const Array& c, const Array& c_next, Array& dgates, Array& dc) {
  const int64_t n = c.shape[1];
  visit_floating(c.dtype, "lstm_cell_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *dh = data_or_null<T>(grad_h), *dc_next = data_or_null<T>(grad_c);
    const Room<T> nothing(n);
    T* zeros = nothing.data();
    std::fill_n(zeros, n, T(0));
    for_rows(c.shape[0], n, [&](int64_t r) {
      T* back = dc.data<T>() + r * n;
      copy_or_zero(dc_next == nullptr ? nullptr : dc_next + r * n, n, back);
      lstm_row_backward(activated.data<T>() + r * 4 * n, c.data<T>() + r * n,
                        c_next.data<T>() + r * n, n, dh == nullptr ? zeros : dh + r * n, back,
                        dgates.data<T>() + r * 4 * n);
    });
  });
}

// One GRU step of one sample.
template <class T>
void gru_row(const T* x, const T* u, const T* h, int64_t n, T* __restrict next,
             T* __restrict saved) {
  for (int64_t j = 0; j < n; ++j) {
    const T r = math::sigmoid(x[j] + u[j]), z = math::sigmoid(x[n + j] + u[n + j]);
    const T hidden = u[2 * n + j], fresh = math::tanh(x[2 * n + j] + r * hidden);
    saved[j] = r;
    saved[n + j] = z;
    saved[2 * n + j] = fresh;
    saved[3 * n + j] = hidden;
    next[j] = fresh + z * (h[j] - fresh);
  }
}

// The kernel of gru_cell: samples in parallel.
void gru_cell(const Array& gates_input, const Array& gates_hidden, const Array& h, Array& h_next,
              Array& saved) {
  const int64_t n = h.shape[1];
  visit_floating(h.dtype, "gru_cell", [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_rows(h.shape[0], n, [&](int64_t r) {
      gru_row(gates_input.data<T>() + r * 3 * n, gates_hidden.data<T>() + r * 3 * n,
              h.data<T>() + r * n, n, h_next.data<T>() + r * n, saved.data<T>() + r * 4 * n);
    });
  });
}

// The gradient of one GRU step of one sample.
template <class T>
void gru_row_backward(const T* grad, const T* saved, const T* h, int64_t n, T* __restrict dx,
                      T* __restrict du, T* __restrict dh) {
  for (int64_t j = 0; j < n; ++j) {
    const T r = saved[j], z = saved[n + j], fresh = saved[2 * n + j];
    const T dn = grad[j] * (1 - z) * (1 - fresh * fresh);
    const T dz = grad[j] * (h[j] - fresh) * z * (1 - z);
    const T dr = dn * saved[3 * n + j] * r * (1 - r);
    dx[j] = dr;
    du[j] = dr;
    dx[n + j] = dz;
    du[n + j] = dz;
    dx[2 * n + j] = dn;
    du[2 * n + j] = dn * r;
    dh[j] = grad[j] * z;
  }
}

// The kernel of gru_cell's gradient.
void gru_cell_backward(const Array& grad, const Array& saved, const Array& h, Array& dgates_input,
                       Array& dgates_hidden, Array& dh) {
  const int64_t n = h.shape[1];
  visit_floating(h.dtype, "gru_cell_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_rows(h.shape[0], n, [&](int64_t r) {
      gru_row_backward(grad.data<T>() + r * n, saved.data<T>() + r * 4 * n, h.data<T>() + r * n, n,
                       dgates_input.data<T>() + r * 3 * n, dgates_hidden.data<T>() + r * 3 * n,
                       dh.data<T>() + r * n);
    });
  });
}

// Which step is worked on k-th, and where the states are that it starts from.
struct Steps {
  int64_t count, rows, n;
  bool reverse;
  int64_t at(int64_t k) const { return reverse ? count - 1 - k : k; }
  template <class T>
  T* before(int64_t k, const Array& states, const Array& first) const {
    return k == 0 ? first.data<T>() : states.data<T>() + at(k - 1) * rows * n;
  }
};

// The kernel of an LSTM layer: step by step, the weight packed once.
void lstm_steps(const Array& h0, const Array& c0, const Array& w_hh, bool reverse, Array& activated,
                Array& y, Array& c) {
  const Steps steps{y.shape[0], y.shape[1], y.shape[2], reverse};
  const int64_t rows = steps.rows, n = steps.n;
  if (y.numel == 0) return;
  visit_floating(y.dtype, "lstm_layer", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Packed<T> weight({w_hh.data<T>(), n, 4 * n, 1, n});
    for (int64_t k = 0; k < steps.count; ++k) {
      const int64_t t = steps.at(k);
      T* gates = activated.data<T>() + t * rows * 4 * n;
      const T *h = steps.before<T>(k, y, h0), *state = steps.before<T>(k, c, c0);
      weight.multiply({h, rows, n, n, 1}, gates, 4 * n, true);
      for_rows(rows, n, [&](int64_t r) {
        const int64_t at = (t * rows + r) * n;
        lstm_row(gates + r * 4 * n, state + r * n, n, y.data<T>() + at, c.data<T>() + at);
      });
    }
  });
}

// The kernel of an LSTM layer's gradient: the steps backwards.
void lstm_steps_backward(const Array* grad_y, const Array& c0, const Array& w_hh, const Array& c,
                         const Array& activated, bool reverse, Array& dgates, Array& dh,
                         Array& dc) {
  const Steps steps{c.shape[0], c.shape[1], c.shape[2], reverse};
  const int64_t rows = steps.rows, n = steps.n;
  if (c.numel == 0) return;
  visit_floating(c.dtype, "lstm_layer_backward", [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Packed<T> weight({w_hh.data<T>(), 4 * n, n, n, 1});
    const T* dy = data_or_null<T>(grad_y);
    for (int64_t k = steps.count - 1; k >= 0; --k) {
      const int64_t t = steps.at(k);
      const T* state = steps.before<T>(k, c, c0);
      T* d = dgates.data<T>() + t * rows * 4 * n;
      for_rows(rows, n, [&](int64_t r) {
        const int64_t at = (t * rows + r) * n;
        T* back = dh.data<T>() + r * n;
        for (int64_t j = 0; j < n && dy != nullptr; ++j) back[j] += dy[at + j];
        lstm_row_backward(activated.data<T>() + 4 * at, state + r * n, c.data<T>() + at, n, back,
                          dc.data<T>() + r * n, d + r * 4 * n);
      });
      weight.multiply({d, rows, 4 * n, 4 * n, 1}, dh.data<T>(), n, false);
    }
  });
}
}  // namespace

template <>
const RecurrentTable& table<RecurrentTable, kIsa>() {
  static constexpr RecurrentTable t{&lstm_cell,         &lstm_cell_backward, &gru_cell,
                                    &gru_cell_backward, &lstm_steps,         &lstm_steps_backward};
  return t;
}
}  // namespace norch
