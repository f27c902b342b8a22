// The folds as rows, for every dtype.
#include "kernels/reduce.h"

#include <algorithm>

#include "kernels/loop.h"
#include "kernels/reduce_folds.h"

namespace norch {
namespace {
template <class F, class = void>
struct HasPacked : std::false_type {};
template <class F>
struct HasPacked<F, std::void_t<decltype(&F::packed)>> : std::true_type {};
template <class F, class = void>
struct HasPairs : std::false_type {};
template <class F>
struct HasPairs<F, std::enable_if_t<F::kPairs>> : std::true_type {};
template <class F, class = void>
struct HasValue : std::false_type {};
template <class F>
struct HasValue<F, std::enable_if_t<F::kHasValue>> : std::true_type {};

// The reduce kernel starts the accumulators of a fold.
template <class F>
void init(char* accumulators, int64_t n, int64_t begin) {
  auto* acc = reinterpret_cast<typename F::Acc*>(accumulators);
  for (int64_t i = 0; i < n; ++i) F::start(acc[i], begin);
}

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// What a fold sees of an element: halves are folded as float32.
template <class T>
using Seen = std::conditional_t<kIsHalf<T>, float, Value<T>>;

// The reduce kernel folds a packed row; what is seen as another type becomes that a block at a
// time, in L1.
template <class F, class T>
void packed_row(typename F::Acc& acc, const T* p, int64_t n) {
  if constexpr (!std::is_same_v<Seen<T>, T>) {
    constexpr int64_t kBlock = 1024;
    Seen<T> block[kBlock];
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t size = std::min(kBlock, n - i);
      for (int64_t j = 0; j < size; ++j) block[j] = p[i + j];
      F::packed(acc, block, size);
    }
  } else {
    F::packed(acc, p, n);
  }
}

// The reduce kernel's loop that folds a row into one accumulator.
template <class F, class T>
void along(char* const* data, const int64_t* step, int64_t n, const void* context) {
  auto& acc = *static_cast<typename F::Acc*>(const_cast<void*>(context));
  if constexpr (HasPacked<F>::value) {
    if (step[0] == sizeof(T)) return packed_row<F>(acc, reinterpret_cast<const T*>(data[0]), n);
  }
  typename F::Acc local = acc;
  for (int64_t i = 0; i < n; ++i) {
    F::add(local, Seen<T>(*reinterpret_cast<const T*>(data[0] + i * step[0])));
  }
  acc = local;
}

// The reduce kernel folds a line of neighbours into an accumulator each, vectorised.
template <class F, class T>
void add_line(typename F::Acc* acc, const char* line, int64_t step, int64_t n) {
  if (step == sizeof(T)) {
    const T* p = reinterpret_cast<const T*>(line);
    NORCH_INDEPENDENT
    for (int64_t j = 0; j < n; ++j) F::add(acc[j], Seen<T>(p[j]));
  } else {
    for (int64_t j = 0; j < n; ++j) {
      F::add(acc[j], Seen<T>(*reinterpret_cast<const T*>(line + j * step)));
    }
  }
}

// The reduce kernel's loop that folds lines side by side into many accumulators.
template <class F, class T>
void across(char* const* data, const int64_t* step, int64_t rows, const void* context) {
  const Across& to = *static_cast<const Across*>(context);
  auto* acc = reinterpret_cast<typename F::Acc*>(to.accumulators);
  int64_t r = 0;
  if constexpr (HasPairs<F>::value) {  // four lines among themselves first, in T, then into the
                                       // accumulators
    for (; to.step == sizeof(T) && r + 4 <= rows; r += 4) {
      const char* line = data[0] + r * step[0];
      const T *a = reinterpret_cast<const T*>(line),
              *b = reinterpret_cast<const T*>(line + step[0]);
      const T* c = reinterpret_cast<const T*>(line + 2 * step[0]);
      const T* d = reinterpret_cast<const T*>(line + 3 * step[0]);
      NORCH_INDEPENDENT
      for (int64_t j = 0; j < to.n; ++j)
        F::add(acc[j], F::pair(F::pair(Seen<T>(a[j]), Seen<T>(b[j])),
                               F::pair(Seen<T>(c[j]), Seen<T>(d[j]))));
    }
  }
  for (; r < rows; ++r) add_line<F, T>(acc, data[0] + r * step[0], to.step, to.n);
}

// The reduce kernel merges the accumulators of a later block into those of an earlier one.
template <class F>
void merge(char* accumulators, const char* others, int64_t n) {
  auto* acc = reinterpret_cast<typename F::Acc*>(accumulators);
  const auto* later = reinterpret_cast<const typename F::Acc*>(others);
  for (int64_t i = 0; i < n; ++i) F::merge(acc[i], later[i]);
}

// The reduce kernel writes the results of a fold from its accumulators.
template <class F, class T>
void finish(const char* accumulators, int64_t n, char* const* out, double param) {
  const auto* acc = reinterpret_cast<const typename F::Acc*>(accumulators);
  auto* results = reinterpret_cast<typename F::Result*>(out[0]);
  for (int64_t i = 0; i < n; ++i) results[i] = F::result(acc[i], param);
  if constexpr (HasValue<F>::value) {
    if (out[1] == nullptr) return;
    auto* values = reinterpret_cast<T*>(out[1]);
    for (int64_t i = 0; i < n; ++i) values[i] = F::value(acc[i]);
  }
}

// Enters one fold for one type into the kernels' table.
template <class F, class T>
constexpr void put(ReduceTable& t, ReduceOp op) {
  t.fold[static_cast<int>(op)][static_cast<int>(kDTypeOf<T>)] = {
      sizeof(typename F::Acc), &init<F>,  &along<F, T>,
      &across<F, T>,           &merge<F>, &finish<F, Seen<T>>};
}

// The kernel of cumsum, beside the reduce kernels: a running sum along one line, in the wide type.
template <class T>
void cumsum_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  SumType<T> total = 0;
  for (int64_t i = 0; i < n; ++i) {
    total = wrapping_add(
        total, static_cast<SumType<T>>(*reinterpret_cast<const T*>(data[1] + i * step[1])));
    *reinterpret_cast<SumResult<T>*>(data[0] + i * step[0]) = static_cast<SumResult<T>>(total);
  }
}

// The vectorised kernel of cumsum over lines side by side. The lines of out are neighbours in
// memory; those of a are `step` bytes apart.
template <class T>
void cumsum_across(char* const* data, const int64_t* step, int64_t rows, const void* context) {
  const Across& to = *static_cast<const Across*>(context);
  auto* totals = reinterpret_cast<SumType<T>*>(to.accumulators);
  for (int64_t j = 0; j < to.n; ++j) totals[j] = 0;
  for (int64_t r = 0; r < rows; ++r) {
    add_line<Sum<Seen<T>>, T>(totals, data[1] + r * step[1], to.step, to.n);
    auto* out = reinterpret_cast<SumResult<T>*>(data[0] + r * step[0]);
    for (int64_t j = 0; j < to.n; ++j) out[j] = static_cast<SumResult<T>>(totals[j]);
  }
}

// Enters all folds and running sums for one type into the kernels' table.
template <class T>
constexpr void put_type(ReduceTable& t) {
  using S = Seen<T>;
  put<Sum<S>, T>(t, ReduceOp::kSum);
  put<Prod<S>, T>(t, ReduceOp::kProd);
  put<Extreme<Greater, S>, T>(t, ReduceOp::kAmax);
  put<Extreme<Less, S>, T>(t, ReduceOp::kAmin);
  put<Truth<false, S>, T>(t, ReduceOp::kAny);
  put<Truth<true, S>, T>(t, ReduceOp::kAll);
  put<ArgExtreme<Greater, S>, T>(t, ReduceOp::kArgmax);
  put<ArgExtreme<Less, S>, T>(t, ReduceOp::kArgmin);
  if constexpr (std::is_floating_point_v<S>) {
    put<Mean<S>, T>(t, ReduceOp::kMean);
    put<Variance<S>, T>(t, ReduceOp::kVar);
    put<Variance<S, true>, T>(t, ReduceOp::kStd);
  }
  if constexpr (!kIsHalf<T>) {
    t.cumsum[static_cast<int>(kDTypeOf<T>)] = &cumsum_row<T>;
    t.cumsum_across[static_cast<int>(kDTypeOf<T>)] = &cumsum_across<T>;
  }
}

// The reduce kernels' table of all folds.
template <class... T>
constexpr ReduceTable make_table() {
  ReduceTable t{};
  (put_type<T>(t), ...);
  return t;
}
}  // namespace

template <>
const ReduceTable& table<ReduceTable, kIsa>() {
  static constexpr ReduceTable t =
      make_table<Bool, uint8_t, int32_t, int64_t, Float16, BFloat16, float, double>();
  return t;
}
}  // namespace norch
