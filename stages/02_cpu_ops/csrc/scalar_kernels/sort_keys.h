// Sorting by whole numbers: every element becomes an unsigned key of its own size whose order is
// the elements' order, so that one radix sort serves all dtypes, and equal elements keep theirs.
//
//   whole numbers   the sign bit flipped: -1 < 0 < 1 as unsigned
//   floats          negative ones with all bits flipped, others with the sign bit set; -0 is 0, and
//                   every NaN is the largest key, as in PyTorch
//
// Included by sort.cpp only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/dtype.h"

namespace norch {
namespace {
template <class T>
struct KeyOf {  // bool and uint8
  using Key = uint8_t;
  static Key of(T x) { return static_cast<Key>(x); }
};
template <class Signed, class Unsigned>
struct SignedKey {
  using Key = Unsigned;
  static Key of(Signed x) { return static_cast<Key>(x) ^ (Key(1) << (8 * sizeof(Key) - 1)); }
};
template <>
struct KeyOf<int8_t> : SignedKey<int8_t, uint8_t> {};
template <>
struct KeyOf<int32_t> : SignedKey<int32_t, uint32_t> {};
template <>
struct KeyOf<int64_t> : SignedKey<int64_t, uint64_t> {};

template <class Float, class Unsigned, Unsigned infinity>
struct FloatKey {
  using Key = Unsigned;
  static Key of(Float x) {
    constexpr Key kSign = Key(Key(1) << (8 * sizeof(Key) - 1));
    Key bits;
    std::memcpy(&bits, &x, sizeof bits);
    if (Key(bits & ~kSign) > infinity) return Key(~Key(0));
    if (bits == kSign) bits = 0;
    return Key((bits & kSign) != 0 ? ~bits : bits | kSign);
  }
};
template <>
struct KeyOf<Float16> : FloatKey<Float16, uint16_t, 0x7c00> {};
template <>
struct KeyOf<BFloat16> : FloatKey<BFloat16, uint16_t, 0x7f80> {};
template <>
struct KeyOf<float> : FloatKey<float, uint32_t, 0x7f800000u> {};
template <>
struct KeyOf<double> : FloatKey<double, uint64_t, 0x7ff0000000000000u> {};

// A key and the place it came from; the place decides between equal keys, so no two are equal.
template <class K>
struct Entry {
  using Place = std::conditional_t<sizeof(K) == 8, int64_t, uint32_t>;
  K key;
  Place place;
  bool operator<(const Entry& other) const {
    return key != other.key ? key < other.key : place < other.place;
  }
};

template <class K>
using Entries = std::vector<Entry<K>>;

// Reads a line; `flip` is all ones to turn the order around, else 0.
template <class T, class K = typename KeyOf<T>::Key>
void read_entries(const T* line, int64_t stride, int64_t n, K flip, Entry<K>* out) {
  for (int64_t i = 0; i < n; ++i) {
    out[i] = {K(KeyOf<T>::of(line[i * stride]) ^ flip), typename Entry<K>::Place(i)};
  }
}

// One pass of a radix sort: entries go to where the digit at `shift` sends them, in their order.
// False when all digits were equal and nothing moved.
template <int bits, class K>
bool distribute(const Entry<K>* from, Entry<K>* to, int64_t n, int shift, int64_t* starts) {
  constexpr int64_t kDigits = int64_t(1) << bits;
  const auto digit = [shift](K key) { return (key >> shift) & K(kDigits - 1); };
  if (starts[digit(from[0].key)] == n) return false;
  int64_t start = 0;
  for (int64_t d = 0; d < kDigits; ++d) {
    const int64_t count = starts[d];
    starts[d] = start;
    start += count;
  }
  for (int64_t i = 0; i < n; ++i) to[starts[digit(from[i].key)]++] = from[i];
  return true;
}

// Sorts n entries, whose places must rise; `room` is as long. The result is in one of the two.
template <class K>
Entry<K>* sort_entries(Entry<K>* entries, Entry<K>* room, int64_t n) {
  constexpr int64_t kShort = 400;  // below it, clearing the histograms costs more than comparing
  if (n <= kShort) {
    std::sort(entries, entries + n);
    return entries;
  }
  constexpr int kBits = sizeof(K) <= 2 ? 8 : 11;
  constexpr int kPasses = (8 * int(sizeof(K)) + kBits - 1) / kBits;
  std::vector<int64_t> counts(size_t(kPasses) << kBits, 0);
  for (int64_t i = 0; i < n; ++i) {
    for (int p = 0; p < kPasses; ++p) {
      const auto digit = (entries[i].key >> (p * kBits)) & K((1 << kBits) - 1);
      ++counts[(size_t(p) << kBits) + size_t(digit)];
    }
  }
  for (int p = 0; p < kPasses; ++p) {
    int64_t* starts = counts.data() + (size_t(p) << kBits);
    if (distribute<kBits>(entries, room, n, p * kBits, starts)) std::swap(entries, room);
  }
  return entries;
}
}  // namespace
}  // namespace norch
