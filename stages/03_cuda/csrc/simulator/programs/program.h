// What the files of a whole program's runtime share: its memory, its work, what it has to say.
#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "../launch.h"
#include "runtime.h"

namespace norch_sim {
// How this program runs: what `python -m norch_cuda run` says by environment variables.
struct Settings {
  bool checked, async, summary;
  int step;
  double seconds;
  int workers;
};
const Settings& settings();
// Held by every function of the API: host threads take turns.
std::recursive_mutex& api();
using Lock = std::lock_guard<std::recursive_mutex>;

// ---- memory.cpp ----

struct Memory {
  uintptr_t begin, end;
  MemoryKind kind;
  const char* call;
  std::string name;
  Place made, freed{nullptr, 0};
  uintptr_t page = 0;  // where its pages begin, and how many bytes they are; 0: the host's own
  size_t room = 0;
  std::atomic<bool> open{true};  // somebody may touch it now
  int busy = 0;                  // pieces of work that wait and use it
};
// The memory that holds an address, or that lies nearest; nullptr if none does.
Memory* memory_at(uintptr_t address);
Memory* memory_near(uintptr_t address);
std::string describe(const Memory& memory);
// Lets the host, or kernels, touch memory, or nobody.
void set_open(Memory& memory, bool open);
// A kernel meets memory that is closed: true if it may go on.
bool open_for_kernel(uintptr_t address);
// After a launch: what it wrote beside an array, or "". Device memory is closed again.
std::string close_after_launch();
// What is not freed: the arrays of a launch, in this order.
std::vector<Memory*> living_memory();
// An address among the arrays but in none of them, in words; "" if it is elsewhere.
std::string outside_of(uintptr_t address);
// What is known of an address that is in no array a kernel may touch: ": it is ...", or "".
std::string describe_address(uintptr_t address);
size_t most_bytes();

// ---- host.cpp ----

// Tells a checked launch where the program's variables lie.
void place_variables(LaunchOptions& options);

// ---- work.cpp ----

// submit() is declared in runtime.h: shelves call it too.
// Whether work of a stream is done before submit() returns.
bool runs_at_once(cudaStream_t stream);
void wait_for(cudaStream_t stream);
void wait_for_all();
// The kernel that may still run, in words; "" if none does.
std::string still_running();

// ---- report.cpp ----

std::string words(const Place& place);
// The line of the program's text that machine code came from.
std::string line_of(const uint64_t* offsets, size_t count);
// One fault, in several lines; the program's exit status will say that there was one.
void say(const std::string& text);
// Says what was never freed.
void say_leaks();
// The last fault: the program ends.
[[noreturn]] void stop_program(const std::string& text);
// A call that CUDA refuses: kept for cudaGetLastError, and said with the reason.
cudaError_t refuse_call(cudaError_t error, const Call& call, const std::string& reason);
// From here on every call returns this.
void break_device(cudaError_t error);
// What a call returns that has done its part: cudaSuccess, unless a kernel has failed before.
cudaError_t result();
struct Measured {
  int count = 0;
  int64_t amount = 0;  // threads, or bytes
  double seconds = 0;
  void add(int64_t more, double took) { count++, amount += more, seconds += took; }
};
Measured& measured(bool kernel, const std::string& name);
}  // namespace norch_sim
