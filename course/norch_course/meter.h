// The meter of an answer in C++: which elements it reads and writes, and whether all lie inside.
// compiling.py includes this file before the answer and has the compiler call it at each access to
// memory (-fsanitize=kernel-address) and for each index that leaves an array (bounds-strict).
// meter.py says which ranges are watched, and reads what was seen. It never stops an answer.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NORCH_UNMETERED __attribute__((no_sanitize("kernel-address", "bounds-strict"), used))
#define NORCH_EXPORTED __attribute__((visibility("default"), weak))
// Hidden: a library that was loaded for all (the simulator is) may have functions of these names.
#define NORCH_HIDDEN NORCH_UNMETERED __attribute__((visibility("hidden")))

namespace norch_meter {
// From `low` to `high` nobody else has anything; only from `begin` to `end` lie elements.
struct Range {
  uintptr_t low, begin, end, high;
  int64_t bytes_read, bytes_written;
};

struct Meter {
  int64_t watched;  // of the ranges
  Range ranges[8];
  // The first access that leaves a range: which one, from which byte on, how many, and whether it
  // writes; and the first index that leaves an array, with its place in the text.
  int64_t outside, outside_by, outside_bytes, outside_writes;
  int64_t bad_index, index_is_bad, line;
  const char *file, *array;
};
}  // namespace norch_meter

extern "C" {
NORCH_EXPORTED norch_meter::Meter norch_meter_state;

NORCH_UNMETERED static void norch_meter_note(uintptr_t at, size_t bytes, bool writes) {
  norch_meter::Meter& meter = norch_meter_state;
  for (int64_t k = 0; k < meter.watched; ++k) {
    norch_meter::Range& range = meter.ranges[k];
    if (at + bytes <= range.low || at >= range.high) continue;
    __atomic_fetch_add(writes ? &range.bytes_written : &range.bytes_read, int64_t(bytes),
                       __ATOMIC_RELAXED);
    if ((at >= range.begin && at + bytes <= range.end) || meter.outside >= 0) continue;
    meter.outside = k;
    meter.outside_by = int64_t(at - range.begin);
    meter.outside_bytes = int64_t(bytes);
    meter.outside_writes = writes;
  }
}

// What GCC and Clang call before an access: of 1 to 16 bytes, and of others.
#define NORCH_CALLED(name, parameters)                                                        \
  NORCH_HIDDEN inline void norch_meter_##name parameters __asm__("__asan_" #name "_noabort"); \
  inline void norch_meter_##name parameters
#define NORCH_CALLED_FOR(n)                                                 \
  NORCH_CALLED(load##n, (uintptr_t at)) { norch_meter_note(at, n, false); } \
  NORCH_CALLED(store##n, (uintptr_t at)) { norch_meter_note(at, n, true); }
NORCH_CALLED_FOR(1)
NORCH_CALLED_FOR(2)
NORCH_CALLED_FOR(4)
NORCH_CALLED_FOR(8)
NORCH_CALLED_FOR(16)
NORCH_CALLED(loadN, (uintptr_t at, size_t bytes)) { norch_meter_note(at, bytes, false); }
NORCH_CALLED(storeN, (uintptr_t at, size_t bytes)) { norch_meter_note(at, bytes, true); }
// And what they call besides: before throw, and around constructors of global objects.
NORCH_HIDDEN inline void norch_meter_no_return() __asm__("__asan_handle_no_return");
inline void norch_meter_no_return() {}
NORCH_HIDDEN inline void norch_meter_init(const char*) __asm__("__asan_before_dynamic_init");
inline void norch_meter_init(const char*) {}
NORCH_HIDDEN inline void norch_meter_inited() __asm__("__asan_after_dynamic_init");
inline void norch_meter_inited() {}

// Their description of an index that leaves an array; the array's type is text, `'float [32]'`.
struct NorchMeterType {
  uint16_t kind, info;
  char name[1];
};
struct NorchMeterIndex {
  const char* file;
  uint32_t line, column;
  const NorchMeterType *array, *index;
};
NORCH_HIDDEN inline void norch_meter_index(const NorchMeterIndex* what,
                                           uintptr_t index) __asm__("__ubsan_handle_out_of_bounds");
inline void norch_meter_index(const NorchMeterIndex* what, uintptr_t index) {
  norch_meter::Meter& meter = norch_meter_state;
  if (meter.index_is_bad) return;
  meter.index_is_bad = 1;
  const int unused = 64 - (1 << (what->index->info >> 1)), is_signed = what->index->info & 1;
  meter.bad_index =
      is_signed && unused > 0 ? int64_t(uint64_t(index) << unused) >> unused : int64_t(index);
  meter.line = what->line;
  meter.file = what->file;
  meter.array = what->array->name;
}

// Neither compiler looks into these functions of the C library; GCC renames its calls, Clang calls
// the names with __asan_.
void* norch_meter_set(void* to, int value, size_t bytes) noexcept __asm__("memset");
void* norch_meter_copy(void* to, const void* from, size_t bytes) noexcept __asm__("memcpy");
void* norch_meter_move(void* to, const void* from, size_t bytes) noexcept __asm__("memmove");
NORCH_HIDDEN inline void* __asan_memset(void* to, int value, size_t bytes) {
  norch_meter_note(uintptr_t(to), bytes, true);
  return norch_meter_set(to, value, bytes);
}
NORCH_HIDDEN inline void* __asan_memcpy(void* to, const void* from, size_t bytes) {
  norch_meter_note(uintptr_t(from), bytes, false);
  norch_meter_note(uintptr_t(to), bytes, true);
  return norch_meter_copy(to, from, bytes);
}
NORCH_HIDDEN inline void* __asan_memmove(void* to, const void* from, size_t bytes) {
  norch_meter_note(uintptr_t(from), bytes, false);
  norch_meter_note(uintptr_t(to), bytes, true);
  return norch_meter_move(to, from, bytes);
}
#ifndef __clang__
void* memset(void* to, int value, size_t bytes) noexcept __asm__("__asan_memset");
void* memcpy(void* __restrict to, const void* __restrict from, size_t bytes) noexcept
    __asm__("__asan_memcpy");
void* memmove(void* to, const void* from, size_t bytes) noexcept __asm__("__asan_memmove");
#endif
}
