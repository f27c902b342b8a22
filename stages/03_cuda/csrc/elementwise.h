// Kernels that treat every element alone, from the expression that makes one element of the result:
// UNARY in x, BINARY in x and y. Out is the type written. Operands are broadcast by their layouts.
#pragma once

#include "kernel.h"

// 1 / (1 + exp(-x)), where exp never overflows.
template <class F>
__device__ F logistic(F x) {
  return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

// One thread: out[i] = f(x[i]), or f(x[i], y[i]), for every i of its share; in order, each once.
#define UNARY(name, Out, expression)                                                      \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* values, Out* out) { \
    for (i64 i = first_element(); i < n; i += element_step()) {                           \
      T x = values[at(lx, i)];                                                            \
      out[i] = static_cast<Out>(expression);                                              \
    }                                                                                     \
  }

#define BINARY(name, Out, expression)                                                  \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* left, Layout ly, \
                                           const T* right, Out* out) {                 \
    for (i64 i = first_element(); i < n; i += element_step()) {                        \
      T x = left[at(lx, i)], y = right[at(ly, i)];                                     \
      out[i] = static_cast<Out>(expression);                                           \
    }                                                                                  \
  }
