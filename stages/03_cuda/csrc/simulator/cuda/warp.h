// What the lanes of a warp tell each other: shuffles, votes, matches, reductions.
//
// All are made of norch_sim::exchange, with the line of the caller for its messages. Included by
// cuda_on_cpu.h.
#pragma once

inline void __syncwarp(unsigned mask = 0xffffffffu, NORCH_HERE) {
  norch_sim::exchange(norch_sim::Exchange::kSync, mask, 0, 0, file, line);
}

namespace norch_sim {

inline int lane() { return self->index % 32; }
// The lanes of the caller's warp that the block has.
inline unsigned lanes_of_warp() {
  int threads = static_cast<int>(self->block_dim.x * self->block_dim.y * self->block_dim.z);
  int left = threads - self->index / 32 * 32;
  return left >= 32 ? ~0u : (1u << left) - 1;
}

// A value of any size, eight bytes at a time.
template <class T>
T shuffle(unsigned mask, T value, int source, const char* file, int line,
          Exchange kind = Exchange::kShuffle) {
  for (size_t at = 0; at < sizeof(T); at += 8) {
    uint64_t bits = 0;
    size_t size = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
    memcpy(&bits, reinterpret_cast<char*>(&value) + at, size);
    bits = exchange(kind, mask, bits, source, file, line);
    memcpy(reinterpret_cast<char*>(&value) + at, &bits, size);
  }
  return value;
}

// The lane `source` if it lies in the caller's group of `width` lanes, else the caller itself.
inline int within(int source, int width) {
  return source / width == lane() / width && source >= 0 ? source : lane();
}

// Calls visit(lane, its value) for every lane of the mask.
template <class T, class Visit>
void for_lanes(unsigned mask, T value, Visit visit, const char* file, int line) {
  mask &= lanes_of_warp();
  for (int source = 0; source < 32; source++) {
    if (mask >> source & 1) visit(source, shuffle(mask, value, source, file, line));
  }
}

template <class T, class Fold>
T reduce_lanes(unsigned mask, T value, Fold fold, const char* file, int line) {
  T result{};
  bool first = true;
  for_lanes(
      mask, value,
      [&](int, T other) {
        result = first ? other : fold(result, other);
        first = false;
      },
      file, line);
  return result;
}

}  // namespace norch_sim

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, NORCH_HERE) {
  int first = norch_sim::lane() / width * width;
  return norch_sim::shuffle(mask, value, first + (source & (width - 1)), file, line);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, NORCH_HERE) {
  int source = norch_sim::within(norch_sim::lane() + static_cast<int>(delta), width);
  return norch_sim::shuffle(mask, value, source, file, line, norch_sim::Exchange::kShift);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, NORCH_HERE) {
  int source = norch_sim::within(norch_sim::lane() - static_cast<int>(delta), width);
  return norch_sim::shuffle(mask, value, source, file, line, norch_sim::Exchange::kShift);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, NORCH_HERE) {
  int source = norch_sim::within(norch_sim::lane() ^ lanes, width);
  return norch_sim::shuffle(mask, value, source, file, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, NORCH_HERE) {
  return static_cast<unsigned>(
      norch_sim::exchange(norch_sim::Exchange::kBallot, mask, predicate != 0, 0, file, line));
}
inline int __any_sync(unsigned mask, int predicate, NORCH_HERE) {
  return __ballot_sync(mask, predicate, file, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, NORCH_HERE) {
  return __ballot_sync(mask, !predicate, file, line) == 0;
}
inline unsigned __activemask(NORCH_HERE) {
  return static_cast<unsigned>(
      norch_sim::exchange(norch_sim::Exchange::kActive, 0, 0, 0, file, line));
}

template <class T>
unsigned __match_any_sync(unsigned mask, T value, NORCH_HERE) {
  unsigned same = 0;
  norch_sim::for_lanes(
      mask, value,
      [&](int lane, T other) {
        if (memcmp(&other, &value, sizeof(T)) == 0) same |= 1u << lane;
      },
      file, line);
  return same;
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all, NORCH_HERE) {
  *all = __match_any_sync(mask, value, file, line) == (mask & norch_sim::lanes_of_warp());
  return *all ? mask : 0;
}

#define NORCH_REDUCE(name, T, expression)                                   \
  inline T name(unsigned mask, T value, NORCH_HERE) {                       \
    return norch_sim::reduce_lanes(                                         \
        mask, value, [](T a, T b) -> T { return expression; }, file, line); \
  }
NORCH_REDUCE(__reduce_add_sync, int, a + b)
NORCH_REDUCE(__reduce_add_sync, unsigned, a + b)
NORCH_REDUCE(__reduce_min_sync, int, b < a ? b : a)
NORCH_REDUCE(__reduce_min_sync, unsigned, b < a ? b : a)
NORCH_REDUCE(__reduce_max_sync, int, a < b ? b : a)
NORCH_REDUCE(__reduce_max_sync, unsigned, a < b ? b : a)
NORCH_REDUCE(__reduce_and_sync, unsigned, a& b)
NORCH_REDUCE(__reduce_or_sync, unsigned, a | b)
NORCH_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef NORCH_REDUCE
