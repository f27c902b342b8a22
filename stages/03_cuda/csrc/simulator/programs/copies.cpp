// Copies and fills: do the pointers point where the call says, and are there so many bytes?
#include <dlfcn.h>
#include <string.h>

#include <chrono>

#include "program.h"

namespace norch_sim {
namespace {
constexpr const char* kKinds[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                  "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                  "cudaMemcpyDefault"};
enum class Side { kHost, kDevice, kAny };

size_t bytes_of(const cudaExtent& extent) { return extent.width * extent.height * extent.depth; }

// How far a walk over rows reaches from its first byte.
size_t reach(const Rows& rows, const cudaExtent& extent) {
  return (extent.depth - 1) * rows.slice + (extent.height - 1) * rows.pitch + extent.width;
}

// Why a pointer cannot be a side of a copy, or "".
std::string object_to(const Rows& rows, const cudaExtent& extent, Side side) {
  uintptr_t address = reinterpret_cast<uintptr_t>(rows.data);
  Memory* m = memory_at(address);
  if (m == nullptr) {
    std::string near = outside_of(address);
    if (!near.empty()) return "the pointer is in no array: " + near;
    Dl_info info;  // a variable of the program may be a __device__ one
    if (side != Side::kDevice || (address != 0 && dladdr(rows.data, &info))) return "";
    return address == 0 ? "the device's pointer is null"
                        : "the pointer that should be the device's is host memory";
  }
  if (m->freed.file != nullptr) return "the memory is not there any more: " + describe(*m);
  if (side == Side::kHost && m->kind == MemoryKind::kDevice) {
    return "the pointer that should be the host's is device memory: " + describe(*m);
  }
  size_t bytes = address - m->begin + reach(rows, extent), holds = m->end - m->begin;
  if (bytes <= holds) return "";
  return std::to_string(bytes - holds) + " bytes more than there are in " + describe(*m);
}

// Memory that a copy may touch while it runs.
class Opened {
 public:
  explicit Opened(void* data) : memory_(memory_at(reinterpret_cast<uintptr_t>(data))) {
    if (memory_ != nullptr) was_ = memory_->open, set_open(*memory_, true);
  }
  ~Opened() {
    if (memory_ != nullptr) set_open(*memory_, was_);
  }

 private:
  Memory* memory_;
  bool was_ = true;
};

template <class Row>
void walk(const Rows& to, const Rows& from, const cudaExtent& extent, Row row) {
  for (size_t z = 0; z < extent.depth; z++) {
    for (size_t y = 0; y < extent.height; y++) {
      row(static_cast<char*>(to.data) + z * to.slice + y * to.pitch,
          static_cast<const char*>(from.data) + z * from.slice + y * from.pitch);
    }
  }
}

// Does a copy or a fill that was looked at, in its turn.
template <class Row>
cudaError_t carry_out(const std::string& name, const Rows& to, const Rows& from,
                      const cudaExtent& extent, When when, std::vector<Memory*> memory, Row row) {
  submit(
      when.stream, "",
      [=] {
        auto begin = Clock::now();
        Opened target(to.data), source(from.data);
        walk(to, from, extent, row);
        std::chrono::duration<double> took = Clock::now() - begin;
        measured(false, name).add(int64_t(bytes_of(extent)), took.count());
      },
      std::move(memory));
  if (when.waits) wait_for(when.stream);
  return result();
}

bool is_pageable(void* data) { return memory_at(reinterpret_cast<uintptr_t>(data)) == nullptr; }
}  // namespace

cudaError_t copy(const char* call, Rows to, Rows from, cudaExtent extent, cudaMemcpyKind kind,
                 When when, Place at) {
  auto row = [width = extent.width](char* t, const char* f) { memmove(t, f, width); };
  if (self != nullptr) return walk(to, from, extent, row), cudaSuccess;
  Lock lock(api());
  if (cudaError_t error = result()) return error;
  if (kind < 0 || kind > cudaMemcpyDefault) {
    return refuse_call(cudaErrorInvalidMemcpyDirection, call, at, "there is no such direction");
  }
  if (bytes_of(extent) == 0) return cudaSuccess;
  bool any = kind == cudaMemcpyDefault;
  bool up = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool down = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  for (const Rows& rows : {to, from}) {
    bool device = rows.data == to.data ? up : down;
    Side side = any ? Side::kAny : device ? Side::kDevice : Side::kHost;
    std::string objection = object_to(rows, extent, side);
    if (extent.height > 1 && extent.width > rows.pitch)
      objection = "a row is longer than its pitch";
    if (objection.empty()) continue;
    return refuse_call(cudaErrorInvalidValue, std::string(call) + " (" + kKinds[kind] + ")", at,
                       objection);
  }
  // Memory that is not pinned is copied before the call returns.
  if (kind != cudaMemcpyDeviceToDevice && (is_pageable(to.data) || is_pageable(from.data))) {
    when.waits = true;
  }
  std::vector<Memory*> memory;
  Memory* m = memory_at(reinterpret_cast<uintptr_t>(to.data));
  if (m != nullptr && m->kind != MemoryKind::kDevice) memory.push_back(m);
  return carry_out(kKinds[kind], to, from, extent, when, std::move(memory), row);
}

cudaError_t fill(const char* call, Rows to, int value, cudaExtent extent, When when, Place at) {
  auto row = [value, width = extent.width](char* t, const char*) { memset(t, value, width); };
  if (self != nullptr) return walk(to, to, extent, row), cudaSuccess;
  Lock lock(api());
  if (cudaError_t error = result()) return error;
  if (bytes_of(extent) == 0) return cudaSuccess;
  std::string objection = object_to(to, extent, Side::kDevice);
  if (!objection.empty()) return refuse_call(cudaErrorInvalidValue, call, at, objection);
  when.waits = false;  // as of the device's memory
  return carry_out("cudaMemset", to, to, extent, when, {}, row);
}

cudaError_t copy_symbol(const char* call, void* to, const void* from, size_t bytes, size_t offset,
                        size_t room, When when, Place at) {
  if (offset + bytes > room) {
    return refuse_call(
        cudaErrorInvalidValue, call, at,
        std::to_string(offset + bytes) + " bytes of a symbol that has " + std::to_string(room));
  }
  return copy(call, {to}, {const_cast<void*>(from)}, {bytes, 1, 1}, cudaMemcpyDefault, when, at);
}

cudaError_t copy_3d(const char* call, const cudaMemcpy3DParms& p, When when, Place at) {
  auto rows = [](const cudaPitchedPtr& side, const cudaPos& start) {
    size_t slice = side.pitch * side.ysize;
    size_t offset = start.x + start.y * side.pitch + start.z * slice;
    return Rows{static_cast<char*>(side.ptr) + offset, side.pitch, slice};
  };
  return copy(call, rows(p.dstPtr, p.dstPos), rows(p.srcPtr, p.srcPos), p.extent, p.kind, when, at);
}
}  // namespace norch_sim
