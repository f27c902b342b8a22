// Accesses outside of every array, in words: which array was left, and by how much.
//
// What only the compiler knows it says itself: the bounds of an array with a name, the alignment of
// a type (-fsanitize=undefined). Called by checker.cpp, and by the code of checked kernels.
#include <algorithm>

#include "checks.h"
#include "hints.h"
#include "launch.h"

namespace norch_sim {
namespace {
// So far from an array nobody meant it; arguments lie further apart than what else there is.
constexpr uintptr_t kFar = uintptr_t(1) << 24, kFarFromArgument = uintptr_t(1) << 28;

// Bytes between an address and an array.
uintptr_t distance(uintptr_t address, const Region& region) {
  return address < region.begin ? region.begin - address : address - std::min(address, region.end);
}

std::string bytes_of(const Region& region) {
  return std::to_string(region.end - region.begin) + " bytes";
}

// Names an array in an error message.
std::string describe(const Region& region) {
  if (region.space == Space::kFreed) {
    return region.name.empty() ? "memory that free() has taken back"
                               : "an array of an earlier launch that the program has freed";
  }
  if (region.name == kDynamicShared) {
    return "the `extern __shared__` array, which has the " + bytes_of(region) +
           " that dynamic_shared says";
  }
  std::string name = region.argument > 0   ? "argument " + std::to_string(region.argument)
                     : region.name.empty() ? "memory of malloc()"
                                           : "`" + region.name + "`";
  return name + ", which holds " + bytes_of(region);
}

// ": 4 bytes past the end of argument 1, which holds 256 bytes"
std::string relation(uintptr_t address, const Region& region) {
  if (region.space == Space::kFreed) return ": it is " + describe(region);
  bool before = address < region.begin;
  uintptr_t past = std::max(address, region.end) - region.end;
  return ": " + std::to_string(before ? region.begin - address : past) + " bytes " +
         (before ? "before the start" : "past the end") + " of " + describe(region) +
         (region.argument > 0 ? hint::kBounds : "");
}

// The array that an access was meant for, most likely; nullptr if none is near.
const Region* nearest(const BlockChecks& block, uintptr_t address) {
  const Region* best = nullptr;
  auto look = [&](const Region& region) {
    if (region.name.empty() && region.space == Space::kLibrary) return;
    if (best == nullptr || distance(address, region) < distance(address, *best)) best = &region;
  };
  // malloc() gives what earlier arrays lay in: its own memory comes first.
  for (const auto& [begin, region] : state->heap) look(region);
  for (const Region& region : block.shared) look(region);
  for (const Region& region : state->global) look(region);
  for (const Region& region : state->variables) look(region);
  if (best == nullptr) return nullptr;
  return distance(address, *best) < (best->argument > 0 ? kFarFromArgument : kFar) ? best : nullptr;
}
}  // namespace

void report_outside(const Thread& thread, uintptr_t address, size_t size, bool write, void* code) {
  if (address < kPage) {
    std::string what = write ? " writes through" : " reads through";
    stop(describe_thread(thread) + what + " a null pointer at {0}", code);
  }
  const Range& statics = state->launch->shared_static;
  bool shared = address >= statics.begin && address < statics.end;
  std::string message = describe_thread(thread) + (write ? " writes " : " reads ") +
                        std::to_string(size) + " bytes outside every array " +
                        (shared ? "of shared memory" : "it was given") + ", at {0}";
  if (misses_dynamic_shared(address)) stop(message + kNoDynamicShared, code);
  bool elsewhere = !shared && !thread.block->dynamic_shared.is_near(address);
  std::string known = program.place_of && elsewhere ? program.place_of(address) : "";
  if (!known.empty()) stop(message + known, code);
  const Region* array = nearest(*thread.block->checks, address);
  if (array != nullptr) message += relation(address, *array);
  stop(message, code);
}

// ---- what -fsanitize=undefined says ----

namespace {
struct SourceLocation {
  const char* file;
  uint32_t line, column;
};
struct TypeDescriptor {
  uint16_t kind, info;
  char name[1];  // in quotes
};

// Ends the launch with an error at a line that the compiler names.
[[noreturn]] void stop_at(const std::string& message, const SourceLocation& place) {
  record_error(*self->block, describe_thread(*self) + " " + message, place.file,
               static_cast<int>(place.line));
  abandon(*self->block);
}
}  // namespace
}  // namespace norch_sim

struct OutOfBounds {
  norch_sim::SourceLocation place;
  norch_sim::TypeDescriptor *array, *index;
};
struct TypeMismatch {
  norch_sim::SourceLocation place;
  norch_sim::TypeDescriptor* type;
  unsigned char log_alignment, kind;
};

extern "C" {
void __ubsan_handle_out_of_bounds(OutOfBounds* data, uintptr_t index) {
  if (norch_sim::self == nullptr) return;
  long long number =
      data->index->info & 1 ? static_cast<int>(index) : static_cast<long long>(index);
  if (data->index->info >> 1 == 6) number = static_cast<long long>(index);
  norch_sim::stop_at(
      "uses index " + std::to_string(number) + " of an array of type " + data->array->name,
      data->place);
}
void __ubsan_handle_type_mismatch_v1(TypeMismatch* data, uintptr_t address) {
  if (norch_sim::self == nullptr) return;
  bool write = data->kind == 1;
  uintptr_t alignment = uintptr_t(1) << data->log_alignment;
  std::string what =
      std::string(write ? "writes" : "reads") + " a value of type " + data->type->name;
  if (address & (alignment - 1)) {
    what += " at an address that is no multiple of " + std::to_string(alignment);
  } else {
    what += " outside the array that its pointer came from";
  }
  norch_sim::stop_at(what, data->place);
}
}
