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
  if (side == Side::kHost && m->kind == kDevice) {
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
cudaError_t carry_out(const Call& call, const char* name, const Rows& to, const Rows& from,
                      const cudaExtent& extent, std::vector<Memory*> memory, Row row) {
  auto run = [=] {
    auto begin = Clock::now();
    Opened target(to.data), source(from.data);
    walk(to, from, extent, row);
    std::chrono::duration<double> took = Clock::now() - begin;
    measured(false, name).add(int64_t(bytes_of(extent)), took.count());
  };
  submit(call.stream, "", run, std::move(memory));
  if (call.waits) wait_for(call.stream);
  return result();
}

Memory* memory_of(const Rows& rows) { return memory_at(reinterpret_cast<uintptr_t>(rows.data)); }

// Why a copy cannot be carried out, or "".
std::string objection_to(const Rows& to, const Rows& from, const cudaExtent& extent,
                         cudaMemcpyKind kind) {
  bool up = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool down = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  for (const Rows* rows : {&to, &from}) {
    bool device = rows == &to ? up : down, any = kind == cudaMemcpyDefault;
    if (extent.height > 1 && extent.width > rows->pitch) return "a row is longer than its pitch";
    std::string found = object_to(*rows, extent,
                                  any      ? Side::kAny
                                  : device ? Side::kDevice
                                           : Side::kHost);
    if (!found.empty()) return found;
  }
  return "";
}
}  // namespace

cudaError_t copy(Call call, Rows to, Rows from, cudaExtent extent, cudaMemcpyKind kind) {
  auto row = [width = extent.width](char* t, const char* f) { memmove(t, f, width); };
  if (self != nullptr) return walk(to, from, extent, row), cudaSuccess;
  Lock lock(api());
  if (cudaError_t error = result()) return error;
  if (kind < 0 || kind > cudaMemcpyDefault) {
    return refuse_call(cudaErrorInvalidMemcpyDirection, call, "there is no such direction");
  }
  if (bytes_of(extent) == 0) return cudaSuccess;
  std::string objection = objection_to(to, from, extent, kind);
  std::string name = std::string(call.name) + " (" + kKinds[kind] + ")";
  if (!objection.empty()) {
    return refuse_call(cudaErrorInvalidValue, {name.c_str(), call.at}, objection);
  }
  // Memory that is not pinned is copied before the call returns.
  bool pageable = memory_of(to) == nullptr || memory_of(from) == nullptr;
  call.waits |= kind != cudaMemcpyDeviceToDevice && pageable;
  std::vector<Memory*> memory;
  Memory* m = memory_of(to);
  if (m != nullptr && m->kind != kDevice) memory.push_back(m);
  return carry_out(call, kKinds[kind], to, from, extent, std::move(memory), row);
}

cudaError_t fill(Call call, Rows to, int value, cudaExtent extent) {
  auto row = [value, width = extent.width](char* t, const char*) { memset(t, value, width); };
  if (self != nullptr) return walk(to, to, extent, row), cudaSuccess;
  Lock lock(api());
  if (cudaError_t error = result()) return error;
  if (bytes_of(extent) == 0) return cudaSuccess;
  std::string objection = object_to(to, extent, Side::kDevice);
  if (!objection.empty()) return refuse_call(cudaErrorInvalidValue, call, objection);
  call.waits = false;  // as of the device's memory
  return carry_out(call, "cudaMemset", to, to, extent, {}, row);
}

cudaError_t copy_symbol(Call call, void* to, const void* from, size_t bytes, size_t offset,
                        size_t room) {
  if (offset + bytes <= room) {
    return copy(call, {to}, {const_cast<void*>(from)}, {bytes, 1, 1}, cudaMemcpyDefault);
  }
  return refuse_call(
      cudaErrorInvalidValue, call,
      std::to_string(offset + bytes) + " bytes of a symbol that has " + std::to_string(room));
}
}  // namespace norch_sim
