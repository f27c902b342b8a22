// recurrent: one step of an LSTM and of a GRU, after the matrix products, and their gradients.
// T is float or double.
//
// One thread: elements of the state (N, H), one after the other; it reads and writes everything
// that belongs to them, so nothing in between goes to memory. All arrays are contiguous: gate k of
// element (n, j) is gates[n][k][j].

#include "elementwise.h"

// LSTM: gates (N, 4H) in the order i f g o, not yet activated.
//   c' = sigmoid(f) c + sigmoid(i) tanh(g),  h = sigmoid(o) tanh(c')
extern "C" __global__ void lstm_cell_kernel(i64 elements, i64 size, const T* gates, const T* c,
                                            T* h, T* c_next, T* activated) {
  for (i64 e = first_element(); e < elements; e += element_step()) {
    i64 first = e / size * 4 * size + e % size;
    T i = logistic(gates[first]), f = logistic(gates[first + size]);
    T g = tanh(gates[first + 2 * size]), o = logistic(gates[first + 3 * size]);
    T next = f * c[e] + i * g;
    c_next[e] = next;
    h[e] = o * tanh(next);
    activated[first] = i;
    activated[first + size] = f;
    activated[first + 2 * size] = g;
    activated[first + 3 * size] = o;
  }
}

// sigmoid' = s (1 - s) and tanh' = 1 - t t need the activated gates alone. A gradient that is null
// is zero.
extern "C" __global__ void lstm_cell_backward_kernel(i64 elements, i64 size, const T* grad_h,
                                                     const T* grad_c, const T* activated,
                                                     const T* c, const T* c_next, T* dgates,
                                                     T* dc) {
  for (i64 e = first_element(); e < elements; e += element_step()) {
    i64 first = e / size * 4 * size + e % size;
    T i = activated[first], f = activated[first + size];
    T g = activated[first + 2 * size], o = activated[first + 3 * size];
    T t = tanh(c_next[e]);
    T dh = grad_h == nullptr ? T(0) : grad_h[e], later = grad_c == nullptr ? T(0) : grad_c[e];
    T dnext = later + dh * o * (1 - t * t);  // through the next step's state, and through h
    dgates[first] = dnext * g * i * (1 - i);
    dgates[first + size] = dnext * c[e] * f * (1 - f);
    dgates[first + 2 * size] = dnext * i * (1 - g * g);
    dgates[first + 3 * size] = dh * t * o * (1 - o);
    dc[e] = dnext * f;
  }
}

// GRU: the input's part x and the hidden part y of the gates, (N, 3H) each, in the order r z n.
//   r = sigmoid(x_r + y_r),  z = sigmoid(x_z + y_z),  n = tanh(x_n + r y_n)
//   h' = (1 - z) n + z h;  saved (N, 4H) is r, z, n, y_n
extern "C" __global__ void gru_cell_kernel(i64 elements, i64 size, const T* x, const T* y,
                                           const T* h, T* h_next, T* saved) {
  for (i64 e = first_element(); e < elements; e += element_step()) {
    i64 first = e / size * 3 * size + e % size, first_saved = e / size * 4 * size + e % size;
    T hidden = y[first + 2 * size];
    T r = logistic(x[first] + y[first]), z = logistic(x[first + size] + y[first + size]);
    T n = tanh(x[first + 2 * size] + r * hidden);
    h_next[e] = (1 - z) * n + z * h[e];
    saved[first_saved] = r;
    saved[first_saved + size] = z;
    saved[first_saved + 2 * size] = n;
    saved[first_saved + 3 * size] = hidden;
  }
}

extern "C" __global__ void gru_cell_backward_kernel(i64 elements, i64 size, const T* grad,
                                                    const T* saved, const T* h, T* dx, T* dy,
                                                    T* dh) {
  for (i64 e = first_element(); e < elements; e += element_step()) {
    i64 first = e / size * 3 * size + e % size, first_saved = e / size * 4 * size + e % size;
    T r = saved[first_saved], z = saved[first_saved + size];
    T n = saved[first_saved + 2 * size], hidden = saved[first_saved + 3 * size];
    T dn = grad[e] * (1 - z) * (1 - n * n);
    T dz = grad[e] * (h[e] - n) * z * (1 - z);
    T dr = dn * hidden * r * (1 - r);
    dx[first] = dy[first] = dr;
    dx[first + size] = dy[first + size] = dz;
    dx[first + 2 * size] = dn;
    dy[first + 2 * size] = dn * r;  // r stands before the hidden part
    dh[e] = grad[e] * z;
  }
}
