// Copy, cast and fill, one row at a time.
#include "kernels/copy.h"

#include <algorithm>
#include <cstring>

#include "kernels/loop.h"
#include "kernels/vec.h"

namespace norch {
namespace {
// Every second element: with the step written as a constant the compiler loads whole vectors.
template <class T>
void every_second(const T* from, T* to, int64_t n) {
  NORCH_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
}

// The loop that copies a row, casting From to To.
template <class To, class From>
void copy_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  if constexpr (std::is_same_v<To, From> && !std::is_same_v<To, Bool>) {
    if (step[0] == sizeof(To) && step[1] == sizeof(To)) {
      std::memmove(data[0], data[1], static_cast<size_t>(n) * sizeof(To));
      return;
    }
    if (step[0] == sizeof(To) && step[1] == 2 * sizeof(To)) {
      return every_second(reinterpret_cast<const To*>(data[1]), reinterpret_cast<To*>(data[0]), n);
    }
  }
  map_row<To, From>(data, step, n, [](Value<From> x) { return convert<To>(x); });
}

// The loop that fills a row with one number.
template <class T>
void fill_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  const T value = *static_cast<const T*>(context);
  if (step[0] == sizeof(T)) {
    T* out = reinterpret_cast<T*>(data[0]);
    for (int64_t i = 0; i < n; ++i) out[i] = value;
  } else {
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(data[0] + i * step[0]) = value;
  }
}

#ifdef NORCH_HAS_STREAM
// The loop that copies a packed row past the caches: whole vectors, and what is left at its ends.
void stream_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  char* to = data[0];
  const char* from = data[1];
  int64_t rest = n * step[0];
  const int64_t head =
      std::min<int64_t>(rest, -reinterpret_cast<intptr_t>(to) & (kVectorBytes - 1));
  std::memcpy(to, from, static_cast<size_t>(head));
  to += head, from += head, rest -= head;
  for (; rest >= kVectorBytes; rest -= kVectorBytes) {
    stream(to, load(from));
    to += kVectorBytes, from += kVectorBytes;
  }
  std::memcpy(to, from, static_cast<size_t>(rest));
}
#else
constexpr RowFn stream_row = nullptr;
#endif

// Enters the loops that cast to one type.
template <class To, class... From>
constexpr void add_casts(CopyTable& t) {
  constexpr int to = static_cast<int>(kDTypeOf<To>);
  ((t.row[to][static_cast<int>(kDTypeOf<From>)] = &copy_row<To, From>), ...);
  t.fill[to] = &fill_row<To>;
}

// The table of all copying and filling loops.
template <class... T>
constexpr CopyTable make_table(Types<T...>) {
  CopyTable t{};
  (add_casts<T, T...>(t), ...);
  t.stream = stream_row;
  return t;
}
}  // namespace

template <>
const CopyTable& table<CopyTable, kIsa>() {
  static constexpr CopyTable t = make_table(AllTypes{});
  return t;
}
}  // namespace norch
