// The folds: what one reduction keeps while it goes over the elements. Each is a struct with
//   Acc, start(acc, begin), add(acc, x), merge(acc, later), result(acc, param)
// and, where it pays, packed(acc, p, n): the same for n neighbours, vectorised.
// Kernel files only; internal linkage.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/vec.h"

namespace norch {
namespace {
template <class T>
using SumType = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;
template <class T>
using SumResult = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;

// Adds for the reduce kernel's sum: whole numbers wrap around, floats add as doubles.
inline int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline double wrapping_add(double a, double b) { return a + b; }
// Multiplies for the reduce kernel's product: whole numbers wrap around.
inline int64_t wrapping_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
inline double wrapping_mul(double a, double b) { return a * b; }

// The reduce kernel's sum of neighbours. Four vectors of partial sums, emptied into doubles every
// kRounds: no sum in the narrow type is longer than kRounds + 2 terms, which keeps float32 sums
// within 1e-6 of float64.
template <class T>
double packed_sum(const T* p, int64_t n) {
  constexpr int kWidth = kLanes<T>, kRounds = 16;
  double lanes[kWidth] = {};
  int64_t i = 0;
  while (n - i >= 4 * kWidth) {
    const int64_t rounds = std::min<int64_t>(kRounds, (n - i) / (4 * kWidth));
    Vec<T> s0{}, s1{}, s2{}, s3{};
    for (int64_t r = 0; r < rounds; ++r, i += 4 * kWidth) {
      s0 += load(p + i);
      s1 += load(p + i + kWidth);
      s2 += load(p + i + 2 * kWidth);
      s3 += load(p + i + 3 * kWidth);
    }
    T partial[kWidth];
    store(partial, (s0 + s1) + (s2 + s3));
    for (int k = 0; k < kWidth; ++k) lanes[k] += partial[k];
  }
  for (; n - i >= kWidth; i += kWidth) {
    for (int k = 0; k < kWidth; ++k) lanes[k] += p[i + k];
  }
  for (int k = 0; i < n; ++i, ++k) lanes[k] += p[i];
  for (int half = kWidth / 2; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) lanes[k] += lanes[k + half];
  }
  return lanes[0];
}

template <class T>
struct Sum {
  using Acc = SumType<T>;
  using Result = SumResult<T>;
  static constexpr bool kPairs = std::is_same_v<T, float>;  // four rows may be added up in T first
  static T pair(T x, T y) { return x + y; }
  static void start(Acc& acc, int64_t) { acc = 0; }
  static void add(Acc& acc, T x) { acc = wrapping_add(acc, static_cast<Acc>(x)); }
  static void merge(Acc& acc, const Acc& later) { acc = wrapping_add(acc, later); }
  static Result result(const Acc& acc, double) { return static_cast<Result>(acc); }
  static void packed(Acc& acc, const T* p, int64_t n) {
    if constexpr (std::is_floating_point_v<T>) {
      acc += packed_sum(p, n);
    } else {
      uint64_t total = 0;
      for (int64_t i = 0; i < n; ++i) total += static_cast<uint64_t>(p[i]);
      acc = wrapping_add(acc, static_cast<int64_t>(total));
    }
  }
};

template <class T>
struct Mean : Sum<T> {
  static T result(const double& acc, double count) { return static_cast<T>(acc / count); }
};

template <class T>
struct Prod {
  using Acc = SumType<T>;
  using Result = SumResult<T>;
  static void start(Acc& acc, int64_t) { acc = 1; }
  static void add(Acc& acc, T x) { acc = wrapping_mul(acc, static_cast<Acc>(x)); }
  static void merge(Acc& acc, const Acc& later) { acc = wrapping_mul(acc, later); }
  static Result result(const Acc& acc, double) { return static_cast<Result>(acc); }
};

// Is x the better extreme? `worst` is what every element equals or beats. NaN beats every number,
// and the first NaN stays.
struct Greater {
  template <class T>
  static T worst() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
  }
  template <class T>  // numbers, or vectors of them: each lane of the answer says no, 0, or yes
  static auto better(T x, T best) {
    return ((x <= best) == 0) & (best == best);
  }
  template <class V>
  static V choose(V x, V best) {
    const V larger = x > best ? x : best;  // two plain choices: one compound one would branch
    return x != x ? x : larger;
  }
};
struct Less {
  template <class T>
  static T worst() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  template <class T>
  static auto better(T x, T best) {
    return ((x >= best) == 0) & (best == best);
  }
  template <class V>
  static V choose(V x, V best) {
    const V smaller = x < best ? x : best;
    return x != x ? x : smaller;
  }
};

// The reduce kernel's extreme of n > 0 neighbours, vectorised.
template <class Order, class T>
T packed_extreme(const T* p, int64_t n) {
  T best = p[0];
  int64_t i = 0;
  if constexpr (!std::is_same_v<T, bool>) {
    constexpr int kWidth = kLanes<T>;
    if (n >= 4 * kWidth) {
      Vec<T> b0 = load(p), b1 = load(p + kWidth), b2 = load(p + 2 * kWidth);
      Vec<T> b3 = load(p + 3 * kWidth);
      for (i = 4 * kWidth; i + 4 * kWidth <= n; i += 4 * kWidth) {
        b0 = Order::choose(load(p + i), b0);
        b1 = Order::choose(load(p + i + kWidth), b1);
        b2 = Order::choose(load(p + i + 2 * kWidth), b2);
        b3 = Order::choose(load(p + i + 3 * kWidth), b3);
      }
      b0 = Order::choose(Order::choose(b0, b1), Order::choose(b2, b3));
      best = fold_all(b0, [](auto x, auto y) { return Order::choose(x, y); })[0];
    }
  }
  for (; i < n; ++i) best = Order::better(p[i], best) ? p[i] : best;
  return best;
}

template <class Order, class T>
struct Extreme {
  using Acc = T;
  using Result = T;
  static constexpr bool kPairs = true;
  static T pair(T x, T y) { return Order::choose(x, y); }
  static void start(Acc& acc, int64_t) { acc = Order::template worst<T>(); }
  static void add(Acc& acc, T x) { acc = Order::choose(x, acc); }
  static void merge(Acc& acc, const Acc& later) { add(acc, later); }
  static Result result(const Acc& acc, double) { return acc; }
  static void packed(Acc& acc, const T* p, int64_t n) {
    if (n > 0) add(acc, packed_extreme<Order>(p, n));
  }
};

// For argmax and argmin: the best of each lane, and the number of the vector that it came from.
template <class Order, class T>
struct BestLanes {
  using Places = decltype(Vec<T>{} > Vec<T>{});
  Vec<T> best;
  Places place = {};

  void take(Vec<T> x, Places number) {
    const Places better = Order::better(x, best);
    best = better ? x : best;
    place = better ? number : place;
  }
  // Takes what another has; of equals, what came first.
  void merge(const BestLanes& other) {
    const Places worse = Order::better(best, other.best);
    const Places better = Order::better(other.best, best) | (~worse & (other.place < place));
    best = better ? other.best : best;
    place = better ? other.place : place;
  }
  // Which element is as good as any, and the first of these.
  int64_t first() const {
    const Vec<T> extreme = fold_all(best, [](auto x, auto y) { return Order::choose(x, y); });
    Places index = place * kLanes<T>;
    for (int k = 0; k < kLanes<T>; ++k) index[k] += k;
    index = Order::better(extreme, best) ? kLast + Places{} : index;
    return fold_all(index, [](auto x, auto y) { return x < y ? x : y; })[0];
  }

 private:
  static constexpr auto kLast = std::numeric_limits<std::decay_t<decltype(Places{}[0])>>::max();
};

// The reduce kernel's argmax and argmin of n neighbours, fewer than 2^31: where the first extreme
// stands. Lanes number elements, so bytes are too short; their place is looked up.
template <class Order, class T>
int64_t place_of_extreme(const T* p, int64_t n) {
  constexpr int kWidth = kLanes<T>;
  int64_t i = 0, found = 0;
  if (n >= kWidth) {
    BestLanes<Order, T> a{load(p)}, b = a, c = a, d = a;
    decltype(a.place) number = {};
    for (; i + 4 * kWidth <= n; i += 4 * kWidth, number += 4) {
      a.take(load(p + i), number);
      b.take(load(p + i + kWidth), number + 1);
      c.take(load(p + i + 2 * kWidth), number + 2);
      d.take(load(p + i + 3 * kWidth), number + 3);
    }
    for (; i + kWidth <= n; i += kWidth, number += 1) a.take(load(p + i), number);
    a.merge(b);
    c.merge(d);
    a.merge(c);
    found = a.first();
  }
  for (; i < n; ++i) found = Order::better(p[i], p[found]) ? i : found;
  return found;
}

template <class Order, class T>
struct ArgExtreme {
  struct Acc {
    T best;
    int64_t index;  // -1 while empty
    int64_t next;   // number of the element that comes next
  };
  using Result = int64_t;
  static constexpr bool kHasValue = true;
  static void start(Acc& acc, int64_t begin) { acc = {T(0), -1, begin}; }
  static void take(Acc& acc, T x, int64_t index) {
    if (acc.index < 0 || Order::better(x, acc.best)) {
      acc.best = x;
      acc.index = index;
    }
  }
  static void add(Acc& acc, T x) { take(acc, x, acc.next++); }
  static void merge(Acc& acc, const Acc& later) {
    if (later.index >= 0) take(acc, later.best, later.index);
  }
  static Result result(const Acc& acc, double) { return acc.index; }
  static T value(const Acc& acc) { return acc.best; }
  static void packed(Acc& acc, const T* p, int64_t n) {
    if (n == 0) return;
    int64_t i;
    if constexpr (sizeof(T) == 1) {
      const T best = packed_extreme<Order>(p, n);
      i = static_cast<const T*>(std::memchr(p, best, static_cast<size_t>(n))) - p;
    } else {
      i = place_of_extreme<Order>(p, n);
    }
    take(acc, p[i], acc.next + i);
    acc.next += n;
  }
};

template <bool all, class T>
struct Truth {
  using Acc = uint8_t;
  using Result = bool;
  static void start(Acc& acc, int64_t) { acc = all; }
  static void add(Acc& acc, T x) {
    if constexpr (all)
      acc &= static_cast<uint8_t>(x != 0);
    else
      acc |= static_cast<uint8_t>(x != 0);
  }
  static void merge(Acc& acc, const Acc& later) { acc = all ? acc & later : acc | later; }
  static Result result(const Acc& acc, double) { return acc != 0; }
};

// Sums of x - shift and of its square, shift being the first element: no cancellation, one pass.
// The root of the result is taken before it is rounded, as the square may not fit.
template <class T, bool root = false>
struct Variance {
  struct Acc {
    double shift, sum, squares, count;
  };
  using Result = T;
  static void start(Acc& acc, int64_t) { acc = {0, 0, 0, 0}; }
  static void add(Acc& acc, T x) {
    acc.shift = acc.count == 0 ? static_cast<double>(x) : acc.shift;
    const double d = static_cast<double>(x) - acc.shift;
    acc.sum += d;
    acc.squares += d * d;
    acc.count += 1;
  }
  static double mean(const Acc& acc) { return acc.shift + acc.sum / acc.count; }
  static double deviations(const Acc& acc) { return acc.squares - acc.sum * acc.sum / acc.count; }
  static void merge(Acc& acc, const Acc& later) {  // Chan's formula
    if (later.count == 0) return;
    if (acc.count == 0) {
      acc = later;
      return;
    }
    const double n = acc.count + later.count, delta = mean(later) - mean(acc);
    const double squares =
        deviations(acc) + deviations(later) + delta * delta * acc.count * later.count / n;
    const double middle = mean(acc) + delta * later.count / n;
    acc = {middle, 0, squares, n};
  }
  static Result result(const Acc& acc, double correction) {
    if (acc.count == 0) return std::numeric_limits<T>::quiet_NaN();
    const bool overflows = std::isinf(acc.squares) && std::isfinite(acc.sum);
    const double squares = overflows ? acc.squares : std::max(deviations(acc), 0.0);  // NaN passes
    const double variance = squares / std::max(0.0, acc.count - correction);
    return static_cast<T>(root ? std::sqrt(variance) : variance);
  }
  static void packed(Acc& acc, const T* p, int64_t n) {
    if (n == 0) return;
    if (acc.count == 0) acc.shift = static_cast<double>(p[0]);
    constexpr int kWidth = 16;
    double sums[kWidth] = {}, squares[kWidth] = {};
    const double shift = acc.shift;
    int64_t i = 0;
    for (; i + kWidth <= n; i += kWidth) {
      for (int k = 0; k < kWidth; ++k) {
        const double d = static_cast<double>(p[i + k]) - shift;
        sums[k] += d;
        squares[k] += d * d;
      }
    }
    acc.count += static_cast<double>(i);
    for (int k = 0; k < kWidth; ++k) {
      acc.sum += sums[k];
      acc.squares += squares[k];
    }
    for (; i < n; ++i) add(acc, p[i]);
  }
};
}  // namespace
}  // namespace norch
