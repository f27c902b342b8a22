// activation: gelu and silu, and the gradients of all activations. T is float or double.
//
// One thread: out[i] = f(x[i]), or the gradient f(g[i], x[i]), for every i of its share. A gradient
// reads the input x, or the result y where that is enough: then x need not be kept.

// gelu(x) = x P(x), P the share of a normal distribution below x. Its derivative is
// P(x) + x p(x), with the density p.
__device__ inline T normal_share(T x) { return (1 + erf(x * T(0.7071067811865476))) / 2; }
__device__ inline T normal_density(T x) { return exp(-x * x / 2) * T(0.3989422804014327); }

// The older formula of gelu: (1 + tanh(u)) / 2 in place of P, u = sqrt(2 / pi) (x + 0.044715 x^3).
constexpr double kRoot = 0.7978845608028654, kCubic = 0.044715;
__device__ inline T tanh_of_cubic(T x) { return tanh(T(kRoot) * (x + T(kCubic) * x * x * x)); }
__device__ inline T gelu_tanh_slope(T x) {
  T t = tanh_of_cubic(x), du = T(kRoot) * (1 + 3 * T(kCubic) * x * x);
  return (1 + t) / 2 + x / 2 * (1 - t * t) * du;
}

// exp never overflows.
__device__ inline T logistic(T x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
__device__ inline T silu_slope(T x) {
  T s = logistic(x);
  return s * (1 + x * (1 - s));
}

#define ACTIVATION(name, expression)                                                    \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* values, T* out) { \
    for (i64 i = first_element(); i < n; i += element_step()) {                         \
      T x = values[at(lx, i)];                                                          \
      out[i] = expression;                                                              \
    }                                                                                   \
  }

ACTIVATION(gelu, x* normal_share(x))
ACTIVATION(gelu_tanh, x * (1 + tanh_of_cubic(x)) / 2)
ACTIVATION(silu, x / (1 + exp(-x)))

#define GRADIENT(name, of, expression)                                                \
  extern "C" __global__ void name##_kernel(i64 n, Layout lg, const T* grad, Layout l, \
                                           const T* values, T* out) {                 \
    for (i64 i = first_element(); i < n; i += element_step()) {                       \
      T g = grad[at(lg, i)], of = values[at(l, i)];                                   \
      out[i] = expression;                                                            \
    }                                                                                 \
  }

GRADIENT(relu_backward, y, y <= 0 ? T(0) : g)
GRADIENT(tanh_backward, y, g * (1 - y * y))
GRADIENT(sigmoid_backward, y, g * y * (1 - y))
GRADIENT(gelu_backward, x, g*(normal_share(x) + x * normal_density(x)))
GRADIENT(gelu_tanh_backward, x, g* gelu_tanh_slope(x))
GRADIENT(silu_backward, x, g* silu_slope(x))
