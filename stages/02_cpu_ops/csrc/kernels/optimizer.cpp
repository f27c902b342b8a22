// The optimizers as torch.optim computes them (and Lion as its authors do), one row at a time.
#include "kernels/optimizer.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "kernels/loop.h"

namespace norch {
namespace {
// f(element of operand 0, of operand 1, ...) for i = 0 ... n - 1, all of type T, by reference.
template <class T, class F, size_t... K>
void for_row(char* const* data, const int64_t* step, int64_t n, F f, std::index_sequence<K...>) {
  if (((step[K] == int64_t(sizeof(T))) && ...)) {
    T* const p[] = {reinterpret_cast<T*>(data[K])...};
    NORCH_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) f(p[K][i]...);
  } else {
    for (int64_t i = 0; i < n; ++i) f(*reinterpret_cast<T*>(data[K] + i * step[K])...);
  }
}

template <class T>
T add_decay(T grad, T param, T decay) {  // no decay leaves the gradient of an infinite param alone
  return decay != 0 ? grad + decay * param : grad;
}

// param -= lr * (grad + weight_decay * param)
template <class T>
void sgd_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  const auto& s = *static_cast<const SgdSettings*>(context);
  const T lr = T(s.lr), decay = T(s.weight_decay);
  const auto update = [=](T& param, const T& grad) { param -= lr * add_decay(grad, param, decay); };
  for_row<T>(data, step, n, update, std::make_index_sequence<2>());
}

// SGD with a running sum of gradients, one for each number; then param follows it.
template <class T>
void sgd_momentum_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  const auto& s = *static_cast<const SgdSettings*>(context);
  const T lr = T(s.lr), decay = T(s.weight_decay);
  const T momentum = T(s.momentum), take = T(1 - s.dampening);
  const bool first = s.first, nesterov = s.nesterov;
  const auto update = [=](T& param, const T& grad, T& buffer) {
    const T g = add_decay(grad, param, decay);
    // ex 2.8 begin
    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
    // ex 2.8 end
  };
  for_row<T>(data, step, n, update, std::make_index_sequence<3>());
}

// The loop of an Adam step over one row of a parameter.
template <class T, bool kAmsgrad>
void adam_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  const auto& s = *static_cast<const AdamSettings*>(context);
  const T beta2 = T(s.beta2), eps = T(s.eps), step_size = T(s.step_size);
  const T one_minus_beta1 = T(1 - s.beta1), one_minus_beta2 = T(1 - s.beta2);
  const T scale = T(1 / s.root_bias_correction2), decay = T(s.weight_decay), shrink = T(s.shrink);
  // `most` is the running maximum of `square`, when there is one.
  const auto update = [=](T& param, const T& grad, T& mean, T& square, auto&... most) {
    const T kept = param * shrink, g = add_decay(grad, kept, decay);
    mean += (g - mean) * one_minus_beta1;
    square = square * beta2 + g * g * one_minus_beta2;
    T second = square;
    ((most = second = most > square ? most : square), ...);
    param = kept - step_size * mean / (std::sqrt(second) * scale + eps);
  };
  for_row<T>(data, step, n, update, std::make_index_sequence<kAmsgrad ? 5 : 4>());
}

// The gradient over its root mean square, which `centered` takes about the mean.
template <class T, bool kCentered, bool kMomentum>
void rmsprop_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  const auto& s = *static_cast<const RmspropSettings*>(context);
  const T lr = T(s.lr), alpha = T(s.alpha), rest = T(1 - s.alpha), eps = T(s.eps);
  const T decay = T(s.weight_decay), momentum = T(s.momentum);
  const auto step_with = [=](T& param, T g, T root, auto&... buffer) {
    T quotient = g / (root + eps);
    ((quotient = buffer = momentum * buffer + quotient), ...);
    param -= lr * quotient;
  };
  const auto update = [=](T& param, const T& grad, T& square, auto&... more) {
    const T g = add_decay(grad, param, decay);
    square = square * alpha + g * g * rest;
    if constexpr (kCentered) {
      const auto centred = [=](T& p, T& mean, auto&... buffer) {
        mean += (g - mean) * rest;
        step_with(p, g, std::sqrt(square - mean * mean), buffer...);
      };
      centred(param, more...);
    } else {
      step_with(param, g, std::sqrt(square), more...);
    }
  };
  for_row<T>(data, step, n, update, std::make_index_sequence<3 + kCentered + kMomentum>());
}

// The loop of an Adagrad step over one row of a parameter.
template <class T>
void adagrad_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  const auto& s = *static_cast<const AdagradSettings*>(context);
  const T rate = T(s.rate), eps = T(s.eps), decay = T(s.weight_decay);
  const auto update = [=](T& param, const T& grad, T& sum) {
    const T g = add_decay(grad, param, decay);
    sum += g * g;
    param -= rate * g / (std::sqrt(sum) + eps);
  };
  for_row<T>(data, step, n, update, std::make_index_sequence<3>());
}

// The loop of an Adadelta step over one row of a parameter.
template <class T>
void adadelta_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  const auto& s = *static_cast<const AdadeltaSettings*>(context);
  const T lr = T(s.lr), rho = T(s.rho), rest = T(1 - s.rho), eps = T(s.eps);
  const T decay = T(s.weight_decay);
  const auto update = [=](T& param, const T& grad, T& square, T& moved) {
    const T g = add_decay(grad, param, decay);
    square = square * rho + g * g * rest;
    const T delta = std::sqrt(moved + eps) / std::sqrt(square + eps) * g;
    moved = moved * rho + delta * delta * rest;
    param -= lr * delta;
  };
  for_row<T>(data, step, n, update, std::make_index_sequence<4>());
}

// The loop of a Lion step over one row of a parameter.
template <class T>
void lion_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  const auto& s = *static_cast<const LionSettings*>(context);
  const T lr = T(s.lr), shrink = T(1 - s.lr * s.weight_decay);
  const T beta1 = T(s.beta1), rest1 = T(1 - s.beta1), beta2 = T(s.beta2), rest2 = T(1 - s.beta2);
  const auto update = [=](T& param, const T& grad, T& mean) {
    const T direction = mean * beta1 + grad * rest1;
    param = param * shrink - lr * T((direction > 0) - (direction < 0));
    mean = mean * beta2 + grad * rest2;
  };
  for_row<T>(data, step, n, update, std::make_index_sequence<3>());
}

// The loops of all optimizers for one float type.
template <class T>
constexpr OptimizerRows rows() {
  return {&sgd_row<T>,
          &sgd_momentum_row<T>,
          &adam_row<T, false>,
          &adam_row<T, true>,
          {{&rmsprop_row<T, false, false>, &rmsprop_row<T, false, true>},
           {&rmsprop_row<T, true, false>, &rmsprop_row<T, true, true>}},
          &adagrad_row<T>,
          &adadelta_row<T>,
          &lion_row<T>};
}
}  // namespace

template <>
const OptimizerTable& table<OptimizerTable, kIsa>() {
  static constexpr OptimizerTable t{rows<float>(), rows<double>()};
  return t;
}
}  // namespace norch
