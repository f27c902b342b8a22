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

// One of two operands: an array or, where that is null, the number that stands for it.
struct OperandOrNumber : Operand<T> {
  C number;

  __device__ bool has_fours() const { return values == nullptr || Operand<T>::has_fours(); }
  __device__ Four<C> four(u32 i) const {
    if (values == nullptr) return {{number, number, number, number}};
    return apply_to_four<C>([](C x) { return x; }, Operand<T>::four(i));
  }
  __device__ C one(i64 i, bool few) const {
    return values == nullptr ? number : static_cast<C>(Operand<T>::one(i, few));
  }
};

// 1 / (1 + exp(-x)), where exp never overflows.
template <class F>
__device__ F logistic(F x) {
  return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

// One thread: out[i] = f(x[i]), or f(x[i], y[i]), for every i of its share.
#define UNARY(name, Out, expression)                                                      \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* values, Out* out) { \
    auto f = [](C x) { return static_cast<Out>(expression); };                            \
    map_elements(n, out, f, Operand<T>{lx, values});                                      \
  }

#define BINARY(name, Out, expression)                                                  \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* left, Layout ly, \
                                           const T* right, C number, Out* out) {       \
    auto f = [](C x, C y) { return static_cast<Out>(expression); };                    \
    OperandOrNumber a{{lx, left}, number}, b{{ly, right}, number};                     \
    map_elements(n, out, f, a, b);                                                     \
  }
