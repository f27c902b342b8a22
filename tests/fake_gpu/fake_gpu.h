// What the parts of the fake GPU share: its devices, its memory, its streams.
//
// fake_gpu.cpp holds devices, memory and copies; fake_streams.cpp streams and events;
// fake_graphs.cpp what is captured and replayed; fake_driver.cpp modules and kernels. Every
// function here wants the lock of `Locked` to be held.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace fake {

// ---- what it pretends to be ----------------------------------------------------------------

extern const int kDevices, kCapability, kDriverVersion;
extern const size_t kMemory;  // bytes of each device
constexpr int kSharedDefault = 48 << 10, kSharedOptIn = 163 << 10;

void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

// The names and the text of an answer of CUDA.
struct Named {
  int code;
  const char *runtime, *driver, *text;
};
const Named& named(int code);

// ---- devices and memory -----------------------------------------------------------------------

struct Stream;
struct Allocation {
  size_t nbytes;
  int device;
  cudaMemoryType type;
};
struct Device {
  char* region = nullptr;  // device memory: all of it lies here, and the host must not touch it
  std::map<size_t, size_t> holes;
  size_t used = 0;
  cudaError_t broken = cudaSuccess;  // a kernel failed: sticky, as on a GPU
  std::unique_ptr<Stream> legacy;
  std::vector<Stream*> streams;
};

extern std::recursive_mutex mutex;
extern thread_local int current;       // the number of this thread's GPU
extern thread_local bool bound;        // whether this thread has a current context
extern thread_local cudaError_t last;  // what cudaGetLastError answers

struct Locked {
  std::lock_guard<std::recursive_mutex> guard{mutex};
};

Device& device(int index);
int number_of(CUcontext context);  // of the GPU whose context that is, or -1

// Notes an error for cudaGetLastError, and hands it on.
cudaError_t result(cudaError_t error);
// Enters a runtime function that needs a context: binds one, and reports what broke before.
cudaError_t enter();
#define ENTER()  \
  Locked locked; \
  if (cudaError_t broken = enter(); broken != cudaSuccess) return result(broken)

// Device memory can be touched while one of these lives: a kernel or a copy is running.
struct Access {
  Access();
  ~Access();
};

// The allocation that holds all of [address, address + nbytes), or nullptr.
const Allocation* find(const void* pointer, size_t nbytes);
bool reachable(const Allocation& a, int from);
// Lets every device reach memory of the host that nobody allocated.
void adopt(void* start, size_t nbytes);

// ---- streams: what is queued runs when somebody waits for it ----------------------------------

using Work = std::function<cudaError_t()>;
struct Capture;
struct Stream {
  int device;
  unsigned flags;
  int priority = 0;
  std::deque<Work> queue;
  uint64_t queued = 0, done = 0;
  std::shared_ptr<Capture> capture;  // while it captures: see fake_graphs.cpp
  uint64_t captured = 0;             // how much it queued in that capture
  bool is_joined = true;             // whether the stream that began it waits for all of that

  bool is_blocking() const { return !(flags & cudaStreamNonBlocking); }
};

Stream* stream_of(cudaStream_t handle);  // nullptr: destroyed, or never made
#define STREAM(name)                \
  ENTER();                          \
  Stream* name = stream_of(handle); \
  if (!name) return result(cudaErrorInvalidResourceHandle)

// Queues work, with the order that the legacy default stream imposes on all blocking ones; a stream
// that captures keeps it instead.
cudaError_t queue(Stream* stream, Work run);
// Queues nothing but a wait for what another stream has queued so far.
void push_wait(Stream* stream, Stream* other);
void push_wait(Stream* stream, Stream* other, uint64_t position);
// Runs what was queued, up to a position.
cudaError_t drain(Stream* stream, uint64_t upto);
cudaError_t drain(Stream* stream);
cudaError_t drain_device(int index);

// ---- capture: what CUDA refuses while a stream captures ---------------------------------------

struct Event {
  unsigned flags;
  int device;
  Stream* stream = nullptr;
  uint64_t position = 0;
  std::chrono::steady_clock::time_point time{};
  std::shared_ptr<Capture> capture;  // if it was recorded in a stream that captured
};

cudaError_t keep(Stream* stream, Work run);                     // queue, of a stream that captures
void record_captured(Stream* stream, Event* event);             // cudaEventRecord, of such a stream
cudaError_t wait_captured(Stream* stream, const Event* event);  // a wait that has to do with one
cudaError_t refuse_in_capture(Stream* stream, cudaError_t why);  // an error if the stream captures
cudaError_t refuse_unsafe();                   // an error if a capture forbids what may synchronize
cudaError_t refuse_in_capture_of(int device);  // an error if any stream of the device captures

}  // namespace fake
