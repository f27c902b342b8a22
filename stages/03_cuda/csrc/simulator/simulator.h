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
  int index = 0;            // threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)
  unsigned copy_stage = 0;  // __pipeline_commit() so far
  Fiber* fiber = nullptr;
  Block* block = nullptr;
};

extern NORCH_FAST_TLS __thread Thread* self;

// Every CUDA thread of the block must arrive here, at this very place of the text, before any goes
// on; returns the sum of their votes. Where nobody counts the places of a file, it is the line.
int barrier(const char* file, int line, int vote, int place);
int barrier(const char* file, int line, int vote = 0);

// What the lanes of a warp tell each other. Those of a mask must all say the same of these.
enum class Exchange { kSync, kShuffle, kXor, kUp, kDown, kBallot, kActive };
// Each lane of `mask` deposits `value`; returns the value of lane `source` (a shuffle; up and down,
// if all lanes ask for one as far from them) or the votes (ballot). kActive asks which lanes are
// here, at this very line: all that can come.
uint64_t exchange(Exchange kind, unsigned mask, uint64_t value, int source, const char* file,
                  int line);

// What a recorded kernel announces (recorder.h); nothing happens in a launch that is not recorded.
enum class Recorded { kBlock, kRead, kWrite, kAtomic, kBarrier, kExchange };
void record(Recorded kind, void* pointer, size_t size, void* code);

// Whether all blocks of the grid run together: a launch by cudaLaunchCooperativeKernel.
bool is_cooperative();

// Ends the launch with an error: never returns to the kernel.
[[noreturn]] void fail(const char* message, const char* file, int line);
// The same for a place that only the machine code knows: a return address.
[[noreturn]] void fail_at(const char* message, void* code);

// Whom an atomic operation or a fence holds for: all threads, or those of one block.
enum class Scope { kDevice, kBlock };
// __threadfence(): what this thread has written comes before what it hands on later.
void fence(Scope scope = Scope::kDevice);
// Whether this is a local variable of the thread that nobody has written.
bool has_no_value(const volatile void* variable, size_t size);
// Lets other threads go on: for those that wait until another writes something.
void yield();
// The same, if the thread has looked at this address, and no other, for a while.
void wait_a_turn(const void* address);
// Waits until the word, which a thread of the block changes, is no longer what was seen there.
void wait_while(const uint64_t* word, uint64_t seen, const char* file, int line);

// A copy of up to 16 bytes (zeros, if `from` is null) that goes on while the thread does: they come
// to their place when it waits for this stage of its owner: a pipeline, a barrier, or itself
// (null).
void begin_copy(void* to, const void* from, size_t size, const void* owner, unsigned stage);
// Lets the copies of the stages below `stage` come to their places.
void finish_copies(const void* owner, unsigned stage);

// Moves the five words of a XORWOW generator on by count * 2^power steps.
void skip_xorwow(uint32_t* state, uint64_t count, unsigned power);

// A local variable that begins without a value.
void forget_local(void* variable, size_t size);

// malloc() and free() of a checked kernel.
void* malloc_watched(size_t size);
void free_watched(void* memory);

// Atomic operations on the 1, 2, 4 or 8 bytes at an address return the old ones, as CUDA's do.
// device_library/atomics.h makes those of all types from these: none, replacing the bytes by
// next(old, operand), and by `desired` if they are `expected`. A store may find no value there.
enum class Atomic { kLoad, kRelaxedLoad, kStore, kChange, kCompare };
uint64_t atomic_load(void* address, size_t size, Scope scope = Scope::kDevice,
                     Atomic operation = Atomic::kLoad);
uint64_t atomic_update(void* address, size_t size, Atomic operation, Scope scope,
                       uint64_t (*next)(uint64_t old, uint64_t operand), uint64_t operand);
uint64_t atomic_compare_exchange(void* address, size_t size, uint64_t expected, uint64_t desired,
                                 Scope scope);

// One kernel of a library: `signature` has two characters a parameter (see signature.h), and
// max_threads is what __launch_bounds__ says, or 0.
struct Kernel {
  const char* name;
  const char* signature;
  void (*call)(void** arguments);
  int64_t max_threads;
};

// A __constant__ or __device__ variable.
struct Symbol {
  const char* name;
  const volatile void* address;
  uint64_t size;
};

// Before and behind a library's __shared__ variables, and a block's dynamic ones, lie this many
// bytes that belong to nothing, so that an access that misses the arrays a little does no harm.
constexpr size_t kSharedMargin = 4096;

// A kernel library: its kernels and variables, and where its __shared__ variables live (see
// cuda_on_cpu.h).
struct Library {
  const Kernel* kernels;
  int count;
  void (*shared_memory)(char** begin, char** end);
  const Symbol* symbols;
  int num_symbols;
};
}  // namespace norch_sim
