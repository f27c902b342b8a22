// Sums over a row in many independent lanes, which the compiler keeps in vectors; the order of the
// additions depends on the length alone. Kernel files only (internal linkage).
#pragma once

#include <cstdint>

namespace norch {
namespace {
constexpr int kLanesOfSums = 32;

// Combines 2 * half lanes into the first one; every loop has a length known to the compiler.
template <int half, class T, class F>
inline void fold(T* lanes, F combine) {
  if constexpr (half > 0) {
    for (int j = 0; j < half; ++j) lanes[j] = combine(lanes[j], lanes[j + half]);
    fold<half / 2>(lanes, combine);
  }
}

// The sum of all lanes.
template <class T>
inline T fold_lanes(T* sums) {
  fold<kLanesOfSums / 2>(sums, [](T a, T b) { return a + b; });
  return sums[0];
}

// The sum over j of f(j), for j < n. ahead(j) is called before every kLanesOfSums of them, to ask
// for what is needed afterwards.
template <class T, class F, class Ahead>
T sum_over(int64_t n, F f, Ahead ahead) {
  T sums[kLanesOfSums] = {};
  int64_t j = 0;
  for (; j + kLanesOfSums <= n; j += kLanesOfSums) {
    ahead(j);
    for (int k = 0; k < kLanesOfSums; ++k) sums[k] += f(j + k);
  }
  for (int k = 0; j < n; ++j, ++k) sums[k] += f(j);
  return fold_lanes(sums);
}

// The same with nothing to ask for ahead.
template <class T, class F>
T sum_over(int64_t n, F f) {
  return sum_over<T>(n, f, [](int64_t) {});
}

// Two sums of the same rows, one after another, read once: lanes that go into doubles now and then.
template <class T>
class TwoSums {
 public:
  double first = 0, second = 0;  // complete after finish()

  template <class F, class G>
  void add(int64_t n, F f, G g) {
    for (int64_t begin = 0; begin < n; begin += kRun) {
      const int64_t end = n - begin < kRun ? n : begin + kRun;
      if (filled_ + (end - begin) > kRun) finish();
      add_run(begin, end, f, g);
      filled_ += end - begin;
    }
  }

  void finish() {
    first += static_cast<double>(fold_lanes(a_));
    second += static_cast<double>(fold_lanes(b_));
    for (int k = 0; k < kLanesOfSums; ++k) a_[k] = b_[k] = 0;
    filled_ = 0;
  }

 private:
  static constexpr int64_t kRun = 1 << 13;
  T a_[kLanesOfSums] = {}, b_[kLanesOfSums] = {};
  int64_t filled_ = 0;

  template <class F, class G>
  void add_run(int64_t j, int64_t end, F f, G g) {
    T a[kLanesOfSums], b[kLanesOfSums];
    for (int k = 0; k < kLanesOfSums; ++k) a[k] = a_[k], b[k] = b_[k];
    for (; j + kLanesOfSums <= end; j += kLanesOfSums) {
      for (int k = 0; k < kLanesOfSums; ++k) a[k] += f(j + k);
      for (int k = 0; k < kLanesOfSums; ++k) b[k] += g(j + k);
    }
    for (int k = 0; j < end; ++j, ++k) a[k] += f(j), b[k] += g(j);
    for (int k = 0; k < kLanesOfSums; ++k) a_[k] = a[k], b_[k] = b[k];
  }
};
}  // namespace
}  // namespace norch
