// Copies that a thread starts and waits for later: what all of CUDA's ways to say so are made of.
//
// Included by <cuda/barrier>, <cuda_pipeline.h> and <cooperative_groups/memcpy_async.h>;
// async_copy.cpp keeps the bytes until they are waited for.
#pragma once

#if defined(NORCH_CHECKED) || defined(NORCH_RECORDED)
extern "C" void __tsan_read_range(void*, size_t);
extern "C" void __tsan_write_range(void*, size_t);
#endif

namespace norch_sim {
// One piece of a copy, announced where it begins; without `from` it is of zeros.
__forceinline__ void copy_piece(char* to, const char* from, size_t size, const void* owner,
                                unsigned stage) {
#if defined(NORCH_CHECKED) || defined(NORCH_RECORDED)
  if (from != nullptr) __tsan_read_range(const_cast<char*>(from), size);
  __tsan_write_range(to, size);
#endif
  begin_copy(to, from, size, owner, stage);
}

// Copies that the members of a group share: pieces of 16 or 4 bytes where the addresses allow it.
__forceinline__ void copy_pieces(void* to, const void* from, size_t size, unsigned rank,
                                 unsigned members, const void* owner, unsigned stage) {
  size_t lowest = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | size;
  size_t piece = lowest % 16 == 0 ? 16 : lowest % 4 == 0 ? 4 : 1;
  for (size_t at = rank * piece; at < size; at += members * piece) {
    copy_piece(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, piece, owner,
               stage);
  }
}
}  // namespace norch_sim

namespace cuda {
// A number of bytes, whose addresses and self are promised to be multiples of `Alignment`.
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  explicit aligned_size_t(size_t value) : value(value) {}
  operator size_t() const { return value; }
};
}  // namespace cuda
