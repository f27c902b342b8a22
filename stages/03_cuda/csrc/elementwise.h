// Kernels that treat every element alone, from the expression that makes one element of the result:
// UNARY in x, BINARY in x and y. Out is the type written. Operands are broadcast by their layouts.
#pragma once

#include "map.h"

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

// 1 / (1 + exp(-x)), where exp never overflows.
template <class F>
__device__ F logistic(F x) {
  return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

// One thread: out[i] = f(x[i]), or f(x[i], y[i]), for every i of its share. One of two arrays may
// be null: `number` stands for it, in a loop of its own.
#define UNARY(name, Out, expression)                                                      \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* values, Out* out) { \
    auto f = [](C x) { return static_cast<Out>(expression); };                            \
    map_elements(n, out, f, Operand<T>{lx, values});                                      \
  }

#define BINARY(name, Out, expression)                                                  \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* left, Layout ly, \
                                           const T* right, C number, Out* out) {       \
    auto f = [](C x, C y) { return static_cast<Out>(expression); };                    \
    Operand<T> a{lx, left}, b{ly, right};                                              \
    if (left == nullptr) return map_elements(n, out, f, Number<C>{number}, b);         \
    if (right == nullptr) return map_elements(n, out, f, a, Number<C>{number});        \
    map_elements(n, out, f, a, b);                                                     \
  }
