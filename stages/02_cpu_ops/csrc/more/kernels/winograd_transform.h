// The arithmetic of F(4x4, 3x3) and F(2x2, 5x5), on vectors whose lanes are channels. Included by
// winograd.cpp only, which knows about memory and threads.
//
// In one dimension, four outputs of a kernel of three need 4 * 3 = 12 products. But outputs, inputs
// and kernel are the coefficients of polynomials, and a product of polynomials of degree 3 and 2
// has degree 5: it is known from its values at 6 points. So: take the values of both factors at six
// points, multiply them (6 products instead of 12), and go back to coefficients. The points are
// 0, a, -a, b, -b and infinity (the leading coefficient); values at points are sums with small
// factors, written as matrices. Turned around ("transposed") so that it gives a sliding sum of
// products instead of a product of polynomials:
//
//   out = A^T ((G kernel) * (B^T patch))         6 inputs (patch), 3 weights (kernel), 4 outputs
//
// In two dimensions the same is done along rows and columns: 36 products for 16 outputs, not 144.
//
//   out = A^T ((G kernel G^T) * (B^T patch B)) A
//
// G is applied once per kernel, B once per patch and input channel, A once per patch and output
// channel; only the products are needed for each pair of channels, and for one of the 36 places
// they are a matrix product: (patches, in channels) times (in channels, out channels).
//
// The gradient of the weight is the same bilinear form with the roles exchanged:
//
//   dkernel = G^T ((A dout A^T) * (B^T patch B)) G      the products now summed over patches
//
// A kernel of five and two outputs are known from the same six points: B is the same, G and A only
// have more and fewer powers of them. So 36 products make four outputs of 5 x 5, not 100.
//
// What it costs: differences of large numbers lose half a decimal digit against adding up products
// directly (measured in the tests). How much depends on the points: with a = 3/4 and b = 3/2 powers
// and divisors stay near 1; the textbooks' 1 and 2 need factors from 1/24 to 8 and err five times
// as much.
#pragma once

#include "more/kernels/pixels.h"

namespace norch {
namespace {
namespace winograd {
constexpr int kIn = 6, kPlaces = kIn * kIn;
constexpr int kMostKernel = 5;

constexpr float kA = 3 / 4.f, kB = 3 / 2.f;  // their powers are exact, too
constexpr float kA2 = kA * kA, kB2 = kB * kB, kA3 = kA2 * kA, kB3 = kB2 * kB;

// The rows of G: 1, x, x^2 at each point, divided by the product of its distances to the others.
constexpr float kAtZero = 1 / (kA2 * kB2);
constexpr float kAtA = 1 / (2 * kA2 * (kA2 - kB2)), kAtB = 1 / (2 * kB2 * (kB2 - kA2));
constexpr float kG[kIn][kMostKernel] = {
    {kAtZero, 0, 0, 0, 0},
    {kAtA, kAtA * kA, kAtA * kA2, kAtA * kA3, kAtA * kA2 * kA2},
    {kAtA, -kAtA * kA, kAtA * kA2, -kAtA * kA3, kAtA * kA2 * kA2},
    {kAtB, kAtB * kB, kAtB * kB2, kAtB * kB3, kAtB * kB2 * kB2},
    {kAtB, -kAtB * kB, kAtB * kB2, -kAtB * kB3, kAtB * kB2 * kB2},
};

// An element of G: the leading coefficient stands for infinity.
template <int kKernel>
constexpr float g(int point, int power) {
  return point == kIn - 1 ? float(power == kKernel - 1) : kG[point][power];
}

// B^T d, in place: six inputs -> their combination for each point.
inline void input_line(V d[kIn]) {
  const V even = d[4] - kB2 * d[2], odd = kA * (d[3] - kB2 * d[1]);    // points a and -a
  const V even2 = d[4] - kA2 * d[2], odd2 = kB * (d[3] - kA2 * d[1]);  // points b and -b
  const V last = kA2 * kB2 * d[1] - (kA2 + kB2) * d[3] + d[5];
  d[0] = kA2 * kB2 * d[0] - (kA2 + kB2) * d[2] + d[4];
  d[1] = even + odd;
  d[2] = even - odd;
  d[3] = even2 + odd2;
  d[4] = even2 - odd2;
  d[5] = last;
}

// A^T m: values at six points -> outputs, four or two.
template <int kOut>
inline void output_line(const V m[kIn], V out[kOut]) {
  const V sum = m[1] + m[2], difference = m[1] - m[2];
  const V sum2 = m[3] + m[4], difference2 = m[3] - m[4];
  out[0] = m[0] + sum + sum2;
  out[1] = kA * difference + kB * difference2;
  if constexpr (kOut == 4) {
    out[2] = kA2 * sum + kB2 * sum2;
    out[3] = kA3 * difference + kB3 * difference2;
  }
  out[kOut - 1] += m[5];
}

// A y: the transpose of output_line, gradients -> six values, in place.
template <int kOut>
inline void gradient_line(V y[kIn]) {
  V even = y[0], even2 = y[0], odd = kA * y[1], odd2 = kB * y[1];
  y[5] = y[kOut - 1];
  if constexpr (kOut == 4) {
    even += kA2 * y[2];
    even2 += kB2 * y[2];
    odd += kA3 * y[3];
    odd2 += kB3 * y[3];
  }
  y[1] = even + odd;
  y[2] = even - odd;
  y[3] = even2 + odd2;
  y[4] = even2 - odd2;
}

// Calls `line` for the first `rows` rows of d, then for all columns.
template <class Line>
inline void rows_then_columns(V d[kIn][kIn], int rows, Line line) {
  for (int i = 0; i < rows; ++i) line(d[i]);
  for (int j = 0; j < kIn; ++j) {
    V column[kIn];
    for (int i = 0; i < kIn; ++i) column[i] = d[i][j];
    line(column);
    for (int i = 0; i < kIn; ++i) d[i][j] = column[i];
  }
}

// B^T patch B. patch: rows `row_step` elements apart, neighbours `pixel_step`; the 36 results go to
// out, `place_step` elements apart.
inline void transform_input(const float* patch, int64_t row_step, int64_t pixel_step, float* out,
                            int64_t place_step) {
  V d[kIn][kIn];
  for (int i = 0; i < kIn; ++i) {
    for (int j = 0; j < kIn; ++j) d[i][j] = load(patch + i * row_step + j * pixel_step);
  }
  rows_then_columns(d, kIn, input_line);
  for (int k = 0; k < kPlaces; ++k) store(out + k * place_step, d[k / kIn][k % kIn]);
}

// A grad A^T
template <int kOut>
inline void transform_gradient(const float* grad, int64_t row_step, int64_t pixel_step, float* out,
                               int64_t place_step) {
  V d[kIn][kIn];
  for (int i = 0; i < kOut; ++i) {
    for (int j = 0; j < kOut; ++j) d[i][j] = load(grad + i * row_step + j * pixel_step);
  }
  rows_then_columns(d, kOut, gradient_line<kOut>);
  for (int k = 0; k < kPlaces; ++k) store(out + k * place_step, d[k / kIn][k % kIn]);
}

// A^T products A
template <int kOut>
inline void transform_output(const float* products, int64_t place_step, V out[kOut][kOut]) {
  V half[kOut][kIn];
  for (int j = 0; j < kIn; ++j) {
    V column[kIn], some[kOut];
    for (int i = 0; i < kIn; ++i) column[i] = load(products + (i * kIn + j) * place_step);
    output_line<kOut>(column, some);
    for (int i = 0; i < kOut; ++i) half[i][j] = some[i];
  }
  for (int i = 0; i < kOut; ++i) output_line<kOut>(half[i], out[i]);
}

// G kernel G^T, for kL kernels (kKernel, kKernel) at once.
template <int kKernel>
inline void transform_kernel(const V* kernel, V out[kPlaces]) {
#pragma GCC unroll 6
  for (int i = 0; i < kIn; ++i) {
    V half[kKernel] = {};
#pragma GCC unroll 5
    for (int k = 0; k < kKernel; ++k) {
#pragma GCC unroll 5
      for (int j = 0; j < kKernel; ++j) half[j] += g<kKernel>(i, k) * kernel[k * kKernel + j];
    }
#pragma GCC unroll 6
    for (int j = 0; j < kIn; ++j) {
      V sum{};
#pragma GCC unroll 5
      for (int k = 0; k < kKernel; ++k) sum += g<kKernel>(j, k) * half[k];
      out[i * kIn + j] = sum;
    }
  }
}

// G^T sums G: 36 sums of products -> the gradient of kernels (kKernel, kKernel).
template <int kKernel>
inline void transform_kernel_gradient(const float* sums, int64_t place_step, V* out) {
#pragma GCC unroll 5
  for (int i = 0; i < kKernel; ++i) {
    V half[kIn] = {};
#pragma GCC unroll 6
    for (int k = 0; k < kIn; ++k) {
#pragma GCC unroll 6
      for (int j = 0; j < kIn; ++j) {
        half[j] += g<kKernel>(k, i) * load(sums + (k * kIn + j) * place_step);
      }
    }
#pragma GCC unroll 5
    for (int j = 0; j < kKernel; ++j) {
      V sum{};
#pragma GCC unroll 6
      for (int k = 0; k < kIn; ++k) sum += g<kKernel>(k, j) * half[k];
      out[i * kKernel + j] = sum;
    }
  }
}
}  // namespace winograd
}  // namespace
}  // namespace norch
