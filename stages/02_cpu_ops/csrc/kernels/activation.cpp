// gelu, silu, and the backward of gelu, silu, tanh, sigmoid and relu. Each backward computes its
// exponential once and multiplies by the upstream gradient in the same sweep.
#include "kernels/activation.h"

#include <cmath>

#include "kernels/loop.h"
#include "kernels/math.h"

namespace norch {
namespace {
struct Gelu {
  static float forward(float x) { return math::gelu(x); }
  static double forward(double x) { return x * math::normal(x).below; }
  template <class T>
  static T slope(T x) {
    const math::Normal<T> n = math::normal(x);
    return n.below + x * n.density;
  }
};

// x sigmoid(2 u) with u = sqrt(2 / pi) (x + 0.044715 x^3): (1 + tanh(u)) / 2 is sigmoid(2 u), which
// keeps its digits in the left tail.
struct GeluTanh {
  template <class T>
  static T forward(T x) {
    constexpr T kA = T(1.5957691216057307956), kB = kA * T(0.044715);
    return x * math::sigmoid(x * (kA + kB * (x * x)));
  }
  template <class T>
  static T slope(T x) {
    constexpr T kA = T(1.5957691216057307956), kB = kA * T(0.044715);
    const T s = math::sigmoid(x * (kA + kB * (x * x)));
    return s + x * (s * (T(1) - s)) * (kA + T(3) * kB * (x * x));
  }
};

struct Silu {
  template <class T>
  static T forward(T x) {
    return x / (T(1) + math::exp(-x));
  }
  template <class T>
  static T slope(T x) {
    const T s = math::sigmoid(x);
    return s + x * (s * (T(1) - s));
  }
};

// These know their slope by the result.
struct Tanh {
  template <class T>
  static T slope(T y) {
    return T(1) - y * y;
  }
};
struct Sigmoid {
  template <class T>
  static T slope(T y) {
    return y * (T(1) - y);
  }
};

// The loop of an activation over one row.
template <class Op, class T>
void forward_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  map_row<T, T>(data, step, n, [](T x) { return Op::forward(x); });
}

// The loop of an activation's gradient over one row.
template <class Op, class T>
void backward_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  map_row2<T, T, T>(data, step, n, [](T grad, T x) { return grad * Op::slope(x); });
}

// The loop of relu's gradient over one row.
template <class T>
void relu_backward_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  map_row2<T, T, T>(data, step, n, [](T grad, T y) { return y <= T(0) ? T(0) : grad; });
}

// The loops of all activations for one float type.
template <class T>
constexpr ActivationRows rows() {
  return {{&forward_row<Gelu, T>, &forward_row<GeluTanh, T>, &forward_row<Silu, T>},
          {&backward_row<Gelu, T>, &backward_row<GeluTanh, T>, &backward_row<Silu, T>,
           &backward_row<Tanh, T>, &backward_row<Sigmoid, T>, &relu_backward_row<T>}};
}
}  // namespace

template <>
const ActivationTable& table<ActivationTable, kIsa>() {
  static constexpr ActivationTable t{rows<float>(), rows<double>()};
  return t;
}
}  // namespace norch
