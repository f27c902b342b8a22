// Tells AddressSanitizer which bytes of a block nobody may touch: the cache keeps freed blocks, and
// hands out blocks a little larger than asked for, so to the sanitizer all of that looks legal.
// Only the allocator calls it; in an ordinary build both functions are empty.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)  // GCC
#define NORCH_ADDRESS_SANITIZER 1
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer)
#define NORCH_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef NORCH_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace norch {
// Nobody may touch these bytes from now on.
inline void forbid([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) noexcept {
#ifdef NORCH_ADDRESS_SANITIZER
  ASAN_POISON_MEMORY_REGION(memory, bytes);
#endif
}

// These bytes may be used again.
inline void allow([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) noexcept {
#ifdef NORCH_ADDRESS_SANITIZER
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
}
}  // namespace norch
