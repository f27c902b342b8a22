// The simulator's C interface: Python loads this library with ctypes and calls norch_sim_launch.
//
// Runs the blocks of a grid on a few OS threads, poisons shared memory before each block, verifies
// the guard zones around the arrays afterwards, and turns whatever went wrong into one message.
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "arena.h"
#include "checker.h"
#include "interrupt.h"
#include "launch.h"
#include "recorder.h"
#include "scheduler.h"

#if defined(__linux__)
#include <link.h>
#endif

namespace norch_sim {
Program program;
bool is_cooperative() { return program.cooperative; }

constexpr int kPoison = 0xFF;  // every float and double made of these bytes is a NaN
constexpr const char* kSeeTheLine =
    "; run it inside norch_cuda.simulator(check=True) to see the thread and the line";
constexpr int64_t kMaxThreads = 1024;
constexpr size_t kMaxResident = 32;  // blocks that one OS thread runs side by side
constexpr unsigned kMaxGrid = 65535, kMaxBlockZ = 64;
constexpr uint64_t kMaxShared = 48 * 1024;        // what a kernel gets
constexpr uint64_t kMaxSharedAsked = 227 * 1024;  // what it can ask for
#if defined(__linux__)
constexpr bool kSharedPerThread = true;
#else
constexpr bool kSharedPerThread = false;
#endif

namespace {
struct Extent {
  char* begin = nullptr;
  size_t size = 0;
};

// Where a kernel library lies, and within it its machine code; shared memory is elsewhere.
struct Memory {
  Extent shared, image, text;
  const char *front = nullptr, *back = nullptr;  // the margins within shared memory, if it has any
};

#if defined(__linux__)
struct Search {
  uintptr_t code;
  Memory found;
};

// Finds the loaded library that holds `search.code`; called for each by dl_iterate_phdr.
int find_object(dl_phdr_info* info, size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  bool mine = false;
  uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const auto& segment = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD) continue;
    mine = mine || (search.code >= begin && search.code < begin + segment.p_memsz);
    end = std::max(end, begin + segment.p_memsz);
  }
  if (!mine) return 0;
  search.found.image = {reinterpret_cast<char*>(info->dlpi_addr), end - info->dlpi_addr};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_TLS && info->dlpi_tls_data != nullptr) {
      search.found.shared = {static_cast<char*>(info->dlpi_tls_data), segment.p_memsz};
    }
    if (segment.p_type == PT_LOAD && segment.p_flags & PF_X) {
      search.found.text = {search.found.image.begin + segment.p_vaddr, segment.p_memsz};
    }
  }
  return 1;
}

// dl_iterate_phdr's own lock comes to a forked child as it is; fork waits for this one around it.
std::mutex& lookup() {
  static std::mutex* const instance = [] {
    static std::mutex mutex;
    pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
    return &mutex;
  }();
  return *instance;
}

// __shared__ variables are the library's only thread-local ones: its TLS segment is its shared
// memory.
Memory find_memory(const Library& library) {
  char *begin = nullptr, *end = nullptr;
  library.shared_memory(&begin, &end);  // makes this OS thread's copy exist
  Search search{reinterpret_cast<uintptr_t>(library.shared_memory), {}};
  {
    std::lock_guard<std::mutex> lock(lookup());
    dl_iterate_phdr(find_object, &search);
  }
  search.found.front = begin;
  search.found.back = end - kSharedMargin;
  return search.found;
}
#else
// Elsewhere shared memory is a section of the library, one for all OS threads: blocks take turns.
Memory find_memory(const Library& library) {
  char *begin = nullptr, *end = nullptr;
  library.shared_memory(&begin, &end);
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(library.shared_memory), &info);
  Extent image{static_cast<char*>(info.dli_fbase), size_t(1) << 24};
  return {{begin, static_cast<size_t>(end - begin)}, image, image};
}
#endif

// Seconds from now, at most a year: what Python calls infinite too.
Clock::time_point after(double seconds) {
  auto wait = std::chrono::duration<double>(std::min(seconds, 3e7));
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
}

struct Launch {
  Launch(const Library& library, int kernel, void** arguments, const LaunchOptions& options)
      : library(library),
        kernel(library.kernels[kernel]),
        arguments(arguments),
        options(options),
        deadline(after(options.seconds)) {}
  const Library& library;
  const Kernel& kernel;
  void** arguments;
  const LaunchOptions& options;
  const Clock::time_point deadline;
  std::atomic<int64_t> next{0};
  std::atomic<bool> stopped{false};
  std::mutex mutex;
  std::string error;
  void* sites[kMaxSites] = {};
  void* calls[kMaxCalls] = {};
};

// Number of blocks of a grid, or of threads of a block.
int64_t volume(const unsigned (&size)[3]) { return int64_t(size[0]) * size[1] * size[2]; }

// Keeps the first failed block's error as the launch's, and stops the others.
void keep_error(Launch& launch, const Block& block) {
  std::lock_guard<std::mutex> lock(launch.mutex);
  if (launch.stopped.exchange(true)) return;
  launch.error = block.error;
  std::copy(block.sites, block.sites + kMaxSites, launch.sites);
  std::copy(block.calls, block.calls + kMaxCalls, launch.calls);
}

// The blocks that one OS thread runs: one after another, but those whose threads wait for what
// another block writes stay, and take turns, as the blocks of a GPU do that are resident together.
class Residents {
 public:
  explicit Residents(Launch& launch)
      : launch_(launch),
        memory_(find_memory(launch.library)),
        total_(volume(launch.options.grid)) {}
  ~Residents() {
    for (auto& block : blocks_) this_worker().release(*block);
  }
  void run() {
    while (!launch_.stopped) {
      if (!(blocks_.size() < room_ && start_next()) && blocks_.empty()) return;
      take_turn();
    }
  }

 private:
  std::unique_ptr<Block> make_block(int64_t i) const;
  bool start_next();
  void take_turn();
  // Shared memory is one for all blocks of an OS thread: it holds what the running one has in it.
  void bring_in(Block* block);

  Launch& launch_;
  const Memory memory_;
  const int64_t total_;
  // A recorder knows one block at a time; a grid that waits for all of its blocks needs them all.
  const size_t room_ = launch_.options.recorder != nullptr ? 1
                       : program.cooperative               ? static_cast<size_t>(total_)
                                                           : kMaxResident;
  std::vector<std::unique_ptr<Block>> blocks_;
  size_t turn_ = 0;
  Block* inside_ = nullptr;
};

std::unique_ptr<Block> Residents::make_block(int64_t i) const {
  const LaunchOptions& options = launch_.options;
  const unsigned* grid = options.grid;
  auto block = std::make_unique<Block>();
  block->kernel = &launch_.kernel;
  block->arguments = launch_.arguments;
  block->grid_dim = dim3(grid[0], grid[1], grid[2]);
  block->block_dim = dim3(options.block[0], options.block[1], options.block[2]);
  block->index = {static_cast<unsigned>(i % grid[0]), static_cast<unsigned>(i / grid[0] % grid[1]),
                  static_cast<unsigned>(i / (int64_t(grid[0]) * grid[1]))};
  block->dynamic_shared.assign(options.dynamic_shared, static_cast<char>(kPoison));
  block->step = options.step;
  block->recorder = options.recorder;
  block->code_begin = reinterpret_cast<uintptr_t>(memory_.text.begin);
  block->code_end = block->code_begin + memory_.text.size;
  return block;
}

void Residents::bring_in(Block* block) {
  const Extent& shared = memory_.shared;
  if (inside_ == block || shared.size == 0) return;
  if (inside_ != nullptr) inside_->kept.assign(shared.begin, shared.begin + shared.size);
  if (block->kept.empty()) {
    memset(shared.begin, kPoison, shared.size);
  } else {
    memcpy(shared.begin, block->kept.data(), shared.size);
  }
  inside_ = block;
}

bool Residents::start_next() {
  int64_t i = launch_.next++;
  if (i >= total_) return false;
  blocks_.push_back(make_block(in_turn(i, total_, launch_.options.step)));
  turn_ = blocks_.size() - 1;
  bring_in(blocks_.back().get());
  if (launch_.options.recorder) launch_.options.recorder->begin_block(i, *blocks_.back());
  this_worker().start(*blocks_.back());
  return true;
}

// Whether a margin around shared memory was changed: what the block missed, or "".
std::string find_shared_damage(const Block& block, const Memory& memory) {
  auto changed = [](const char* margin) {
    return *margin != static_cast<char>(kPoison) || memcmp(margin, margin + 1, kSharedMargin - 1);
  };
  const DynamicMemory& dynamic = block.dynamic_shared;
  const char* data = dynamic.data();
  if (data != nullptr && (changed(data - kSharedMargin) || changed(data + dynamic.size()))) {
    return "its `extern __shared__` array, which has the " + std::to_string(dynamic.size()) +
           " bytes that dynamic_shared says";
  }
  bool missed = memory.front != nullptr && (changed(memory.front) || changed(memory.back));
  return missed ? "its __shared__ arrays" : "";
}

void Residents::take_turn() {
  turn_ %= blocks_.size();
  Block& block = *blocks_[turn_];
  bring_in(&block);
  if (!this_worker().resume(block)) {
    turn_++;
    std::this_thread::yield();  // what it waits for may come from another OS thread
    return;
  }
  this_worker().release(block);
  if (block.recorder) block.recorder->end_block();
  std::string missed = block.failed ? "" : find_shared_damage(block, memory_);
  if (!missed.empty()) record_error(block, "wrote outside " + missed + kSeeTheLine, "", 0);
  if (block.failed) keep_error(launch_, block);
  inside_ = nullptr;
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(turn_));
}

// Runs blocks on this OS thread until the grid has no more.
void run_blocks(Launch& launch) {
  catch_faults();
  TimeLimit limit(launch.deadline);
  Residents(launch).run();
}

// Runs the grid on several OS threads.
void run_on_workers(Launch& launch) {
  int64_t blocks = volume(launch.options.grid);
  int64_t threads = blocks * volume(launch.options.block);
  // Starting an OS thread costs as much as running a few hundred CUDA threads.
  bool alone = threads < 2048 || !kSharedPerThread || program.cooperative;
  int64_t workers = alone ? 1 : std::min<int64_t>(launch.options.workers, blocks);
  std::vector<std::thread> helpers;
  std::mutex mutex;
  std::exception_ptr error;
  auto work = [&] {
    try {
      run_blocks(launch);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      error = std::current_exception();
    }
  };
  for (int64_t i = 1; i < workers; i++) helpers.emplace_back(work);
  work();
  for (auto& helper : helpers) helper.join();
  if (error) std::rethrow_exception(error);
}

// What the launch may touch, for those who watch it.
CheckedLaunch memory_of(const Launch& launch) {
  CheckedLaunch checks;
  const Memory memory = find_memory(launch.library);
  const LaunchOptions& options = launch.options;
  for (const Array* array = options.arrays; array < options.arrays + options.num_arrays; array++) {
    checks.global.push_back({array->begin, array->end, array->argument, array->place});
  }
  checks.shared.assign(options.shared, options.shared + options.num_shared);
  checks.variables.assign(options.variables, options.variables + options.num_variables);
  auto range = [](const Extent& extent) {
    uintptr_t begin = reinterpret_cast<uintptr_t>(extent.begin);
    return Range{begin, begin + extent.size, -1, 0};
  };
  checks.shared_static = range(memory.shared);
  checks.library = range(memory.image);
  return checks;
}

// Runs the grid for `profile`, on one OS thread.
void run_recorded(Launch& launch) {
  CheckedLaunch memory = memory_of(launch);
  launch.options.recorder->begin(memory, memory.library.begin, memory.library.end);
  run_blocks(launch);
}

// Runs the grid with the accesses to these arrays checked, on one OS thread.
void run_watched(Launch& launch, CheckedLaunch& checks, Counters& counters) {
  watch(&checks);
  run_blocks(launch);
  if (launch.error.empty()) launch.error = report_suspicions(launch.sites);
  watch(nullptr);
  counters = checks.counters;
}

// Runs the grid with every access checked; the arrays of a program lie far apart already.
void run_checked(Launch& launch, Counters& counters) {
  CheckedLaunch checks = memory_of(launch);
  if (program.running) return run_watched(launch, checks, counters);
  for (size_t i = 0; i < checks.global.size(); i++) {
    checks.global[i].begin = launch.options.arrays[i].used_begin;
    checks.global[i].end = launch.options.arrays[i].used_end;
  }
  Arena arena(checks.global, launch.arguments);
  const Array* earlier = launch.options.earlier;
  for (uint64_t i = 0; i < launch.options.num_earlier; i++) {
    checks.global.push_back({earlier[i].begin, earlier[i].end, earlier[i].argument, 0});
  }
  arena.lead(checks, true);
  run_watched(launch, checks, counters);
  arena.copy_back();
  arena.lead(checks, false);
}

// The first byte of the zone that is not the guard's, or nullptr.
const unsigned char* find_damage(const unsigned char* zone, size_t size, uint32_t guard) {
  for (size_t i = 0; i < size; i++) {
    if (zone[i] != (guard >> i % 4 * 8 & 0xFF)) return zone + i;
  }
  return nullptr;
}

// Each array lies between two guard zones of a pattern of its own; a changed byte there is a write
// out of bounds. (Were all patterns the same, copying one zone into another would go unnoticed.)
std::string find_guard_damage(const LaunchOptions& options) {
  for (int i = 0; i < options.num_arrays; i++) {
    const Array& range = options.arrays[i];
    auto* before = reinterpret_cast<unsigned char*>(range.begin) - options.guard_bytes;
    auto* after = reinterpret_cast<unsigned char*>(range.end);
    for (unsigned char* zone : {before, after}) {
      if (find_damage(zone, options.guard_bytes, range.guard) == nullptr) continue;
      for (size_t k = 0; k < options.guard_bytes; k++) {
        zone[k] = static_cast<unsigned char>(range.guard >> k % 4 * 8);
      }
      return "wrote outside argument " + std::to_string(range.argument + 1) + ", " +
             (zone == before ? "before its start" : "past its end") + kSeeTheLine;
    }
  }
  return "";
}

// More than 48 KB, dynamic only, for a kernel that asked for it: as on a GPU.
std::string refuse_shared(const LaunchOptions& options, uint64_t static_shared) {
  uint64_t total = options.dynamic_shared + static_shared;
  if (options.dynamic_shared > kMaxSharedAsked || total > kMaxSharedAsked) {
    return "a block has at most 232448 bytes of shared memory, the kernel wants " +
           std::to_string(total);
  }
  bool fits = static_shared <= kMaxShared &&
              (total <= kMaxShared || options.dynamic_shared <= options.max_dynamic_shared);
  if (fits) return "";
  return "a block has 49152 bytes of shared memory, the kernel wants " + std::to_string(total) +
         "; `extern __shared__` arrays can have up to 232448: "
         "load_kernel(..., max_dynamic_shared=bytes)";
}

// Without the margins, and without the gaps of a checked library, if it is known where they are.
// Of a whole program it is not known which arrays are this kernel's.
uint64_t shared_bytes(const LaunchOptions& options, const Memory& memory) {
  if (program.running) return 0;
  if (options.num_shared == 0) {
    return memory.shared.size - (memory.front != nullptr ? 2 * kSharedMargin : 0);
  }
  uint64_t sum = 0;
  for (uint64_t i = 0; i < options.num_shared; i++) {
    if (options.shared[i].role == Role::kArray) sum += options.shared[i].size;
  }
  return sum;
}

}  // namespace

std::string refuse(const LaunchOptions& options, const Kernel& kernel, size_t static_shared) {
  int64_t threads = volume(options.block);
  if (threads < 1 || threads > kMaxThreads) {
    return "a block of " + std::to_string(threads) + " threads cannot be launched: 1 to 1024 can";
  }
  if (kernel.max_threads > 0 && threads > kernel.max_threads) {
    return "a block of " + std::to_string(threads) + " threads: __launch_bounds__ allows " +
           std::to_string(kernel.max_threads);
  }
  if (volume(options.grid) < 1) return "an empty grid cannot be launched";
  if (options.grid[0] > INT32_MAX || options.grid[1] > kMaxGrid || options.grid[2] > kMaxGrid) {
    return "a grid has at most 2147483647 blocks in x and 65535 in y and z";
  }
  if (options.block[2] > kMaxBlockZ) return "a block has at most 64 threads in z";
  return refuse_shared(options, static_shared);
}

namespace {
// Writes an error and its places for Python.
void fill_report(LaunchReport& report, const Launch& launch, const std::string& message,
                 const Extent& image) {
  size_t length = std::min(message.size(), sizeof report.message - 1);
  memcpy(report.message, message.data(), length);
  report.message[length] = 0;
  // The address is where the access returns to: one byte earlier is still in its line.
  auto offset = [&](void* address) {
    return address ? static_cast<uint64_t>(static_cast<char*>(address) - 1 - image.begin) : 0;
  };
  std::transform(launch.sites, launch.sites + kMaxSites, report.sites, offset);
  std::transform(launch.calls, launch.calls + kMaxCalls, report.calls, offset);
}

// Runs a launch; returns its error, or "".
std::string run(Launch& launch, LaunchReport& report, size_t static_shared) {
  std::string message = refuse(launch.options, launch.kernel, static_shared);
  if (!message.empty()) return message;
  if (launch.options.recorder) {
    run_recorded(launch);
  } else if (launch.options.checked) {
    run_checked(launch, report.counters);
  } else {
    run_on_workers(launch);
  }
  return launch.error.empty() ? find_guard_damage(launch.options) : launch.error;
}
}  // namespace
}  // namespace norch_sim

extern "C" int norch_sim_launch(const norch_sim::Library* library, int kernel, void** arguments,
                                const norch_sim::LaunchOptions* options,
                                norch_sim::LaunchReport* report) {
  using namespace norch_sim;
  Launch launch(*library, kernel, arguments, *options);
  const Memory memory = find_memory(*library);
  std::string message;
  try {
    message = run(launch, *report, shared_bytes(*options, memory));
  } catch (const std::exception& error) {
    watch(nullptr);
    message = std::string("the simulator could not run it: ") + error.what();
  }
  fill_report(*report, launch, message, memory.image);
  return message.empty() ? 0 : 1;
}
