// Sorting by whole numbers: every element becomes an unsigned key of its own size whose order is
// the elements' order, so that the same sorts serve all dtypes, and equal elements keep theirs.
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
#include <utility>
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
bool distribute(const Entry<K>* from, Entry<K>* to, int64_t n, int shift, uint32_t* starts) {
  constexpr int64_t kDigits = int64_t(1) << bits;
  const auto digit = [shift](K key) { return (key >> shift) & K(kDigits - 1); };
  if (starts[digit(from[0].key)] == n) return false;
  uint32_t start = 0;
  for (int64_t d = 0; d < kDigits; ++d) start += std::exchange(starts[d], start);
  for (int64_t i = 0; i < n; ++i) to[starts[digit(from[i].key)]++] = from[i];
  return true;
}

// A pass for every digit, the lowest first.
template <int bits, class K>
Entry<K>* radix_sort(Entry<K>* entries, Entry<K>* room, int64_t n) {
  constexpr int kPasses = (8 * int(sizeof(K)) + bits - 1) / bits;
  std::vector<uint32_t> counts(size_t(kPasses) << bits, 0);
  for (int64_t i = 0; i < n; ++i) {
    for (int p = 0; p < kPasses; ++p) {
      const auto digit = (entries[i].key >> (p * bits)) & K((1 << bits) - 1);
      ++counts[(size_t(p) << bits) + size_t(digit)];
    }
  }
  for (int p = 0; p < kPasses; ++p) {
    uint32_t* starts = counts.data() + (size_t(p) << bits);
    if (distribute<bits>(entries, room, n, p * bits, starts)) std::swap(entries, room);
  }
  return entries;
}

// Sorts a short line into `to`: the place of an entry is the number of those before it.
template <class K>
Entry<K>* rank_sort(const Entry<K>* from, Entry<K>* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t rank = 0;
    for (int64_t j = 0; j < i; ++j) rank += from[j].key <= from[i].key;
    for (int64_t j = i + 1; j < n; ++j) rank += from[j].key < from[i].key;
    to[rank] = from[i];
  }
  return to;
}

// Sorts n entries, whose places must rise; `room` is as long. The result is in one of the two.
template <class K>
Entry<K>* sort_entries(Entry<K>* entries, Entry<K>* room, int64_t n) {
  constexpr int64_t kShort = 56;      // comparing all with all costs less than histograms
  constexpr int64_t kLong = 1 << 14;  // out of the caches fewer passes win over short histograms
  if (n <= kShort) return rank_sort(entries, room, n);
  if (sizeof(K) <= 2 || n < kLong) return radix_sort<8>(entries, room, n);
  return radix_sort<11>(entries, room, n);
}
}  // namespace
}  // namespace norch
