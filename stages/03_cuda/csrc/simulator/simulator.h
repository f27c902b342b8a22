// The contract between a kernel library and the simulator that runs it.
//
// A kernel library is one .cu file compiled by g++ against cuda_on_cpu.h; the simulator is compiled
// once from the .cpp files of this folder. Kernel code only ever calls what is declared
// here.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// The simulator's own thread-local pointer is read at every threadIdx: give it the cheapest access
// there is.
#if defined(__linux__)
#define NORCH_FAST_TLS __attribute__((tls_model("initial-exec")))
#else
#define NORCH_FAST_TLS
#endif

namespace norch_sim {

struct Fiber;
struct Block;

// What kernel code can ask about the CUDA thread it is. Lives beside the fiber's stack, out of its
// reach.
struct Thread {
  uint3 thread_index{}, block_index{};
  dim3 block_dim, grid_dim;
  char* dynamic_shared = nullptr;
  int index = 0;  // threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)
  Fiber* fiber = nullptr;
  Block* block = nullptr;
};

extern NORCH_FAST_TLS __thread Thread* self;

// Every CUDA thread of the block must arrive here, at this very line, before any goes on.
void barrier(const char* file, int line);

// What the lanes of a warp tell each other.
enum class Exchange { kSync, kShuffle, kBallot };
// Each lane of `mask` deposits `value`; returns the value of lane `source` (shuffle) or the votes
// (ballot).
uint64_t exchange(Exchange kind, unsigned mask, uint64_t value, int source, const char* file,
                  int line);

// Ends the launch with an error: never returns to the kernel.
[[noreturn]] void fail(const char* message, const char* file, int line);
// The same for a place that only the machine code knows: a return address.
[[noreturn]] void fail_at(const char* message, void* code);

// Atomic operations return the old value, as CUDA's do.
int atomic_add(int* address, int value);
unsigned atomic_add(unsigned* address, unsigned value);
long long atomic_add(long long* address, long long value);
unsigned long long atomic_add(unsigned long long* address, unsigned long long value);
float atomic_add(float* address, float value);
double atomic_add(double* address, double value);
int atomic_max(int* address, int value);
long long atomic_max(long long* address, long long value);
int atomic_min(int* address, int value);
long long atomic_min(long long* address, long long value);
int atomic_exchange(int* address, int value);
float atomic_exchange(float* address, float value);
int atomic_compare_exchange(int* address, int expected, int value);
unsigned atomic_compare_exchange(unsigned* address, unsigned expected, unsigned value);
unsigned long long atomic_compare_exchange(unsigned long long* address, unsigned long long expected,
                                           unsigned long long value);

// One kernel of a library: `signature` has one letter a parameter (see signature_of in
// cuda_on_cpu.h).
struct Kernel {
  const char* name;
  const char* signature;
  void (*call)(void** arguments);
};

// A kernel library: its kernels, and where its __shared__ variables live (see cuda_on_cpu.h).
struct Library {
  const Kernel* kernels;
  int count;
  void (*shared_memory)(char** begin, char** end);
};

}  // namespace norch_sim
