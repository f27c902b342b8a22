// Kernels that treat every element alone, from the expression that makes one element of the result:
// UNARY in x, BINARY in x and y. Out is the type written. Operands are broadcast by their layouts.
#pragma once

#include "kernel.h"

// The type C of x and y: halves are only ways of storing a float, signed bytes of storing an int,
// Bool of a bool.
template <class Stored>
struct Computed {
  using type = Stored;
};
template <>
struct Computed<Float16> {
  using type = float;
};
template <>
struct Computed<BFloat16> {
  using type = float;
};
template <>
struct Computed<signed char> {
  using type = int;
};
template <>
struct Computed<Bool> {
  using type = bool;
};
using C = Computed<T>::type;

// Element i of one of two operands: of an array or, where that is null, the number that stands for
// it.
__device__ inline C operand(const T* values, const Layout& layout, C number, i64 i) {
  return values == nullptr ? number : static_cast<C>(values[at(layout, i)]);
}

// 1 / (1 + exp(-x)), where exp never overflows.
template <class F>
__device__ F logistic(F x) {
  return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

// One thread: out[i] = f(x[i]), or f(x[i], y[i]), for every i of its share; in order, each once.
#define UNARY(name, Out, expression)                                                      \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* values, Out* out) { \
    for (i64 i = first_element(); i < n; i += element_step()) {                           \
      C x = values[at(lx, i)];                                                            \
      out[i] = static_cast<Out>(expression);                                              \
    }                                                                                     \
  }

#define BINARY(name, Out, expression)                                                  \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* left, Layout ly, \
                                           const T* right, C number, Out* out) {       \
    for (i64 i = first_element(); i < n; i += element_step()) {                        \
      C x = operand(left, lx, number, i), y = operand(right, ly, number, i);           \
      out[i] = static_cast<Out>(expression);                                           \
    }                                                                                  \
  }
