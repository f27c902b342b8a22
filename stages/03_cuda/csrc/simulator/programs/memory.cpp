// The memory of a whole program: each array far from all others, and open only to whom it belongs.
//
// Between launches device memory is closed to the host; a kernel opens what it touches. Freed
// memory stays closed for good, so that whoever uses it is found.
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "../context.h"
#include "program.h"

namespace norch_sim {
namespace {
constexpr size_t kZone = size_t(1) << 44, kReach = size_t(1) << 28, kAlignment = 256;
constexpr int kSlack = 0xA5;                 // what lies beside an array in its pages
constexpr uint32_t kUnwritten = 0xFFF7FFF3;  // kUnwrittenGlobal of checks.h

// Never destroyed: memory is used until the process ends.
struct Memories {
  std::map<uintptr_t, Memory> all;
  char *zone = nullptr, *next = nullptr;
  size_t room = kZone, used = 0, peak = 0;
};
Memories& memories() {
  static auto* instance = new Memories;
  return *instance;
}

// Reserves the addresses of all arrays to come, once; fewer under a limit (`ulimit -v`).
bool reserve_zone(Memories& m) {
  for (; m.zone == nullptr && m.room > kReach; m.room /= 2) {
    void* zone = mmap(nullptr, m.room, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
    if (zone == MAP_FAILED) continue;
    m.zone = m.next = static_cast<char*>(zone);
    return true;
  }
  return m.zone != nullptr;
}

// How far apart arrays lie.
size_t reach(const Memories& m) { return std::min(kReach, m.room >> 10); }

bool in_zone(uintptr_t address) {
  return memories().zone != nullptr &&
         address - reinterpret_cast<uintptr_t>(memories().zone) < memories().room;
}

// "(void**)&d_x, bytes" names d_x.
std::string first_name(const std::string& text) {
  int depth = 0;
  size_t end = 0;
  for (; end < text.size() && !(text[end] == ',' && depth == 0); end++) {
    depth += (text[end] == '(') - (text[end] == ')');
  }
  size_t start = text.find_last_of("&)* ", end == 0 ? 0 : end - 1);
  return text.substr(start == std::string::npos ? 0 : start + 1, end - start - 1);
}

// The pages of new memory: unwritten in a checked program, and a pattern around the array.
void fill_new(Memory& m) {
  auto* page = reinterpret_cast<char*>(m.page);
  if (m.kind == kDevice && settings().checked) {
    for (size_t i = 0; i < m.room; i += 4) memcpy(page + i, &kUnwritten, 4);
  }
  size_t before = m.begin - m.page;
  memset(page + before - std::min(before, kAlignment), kSlack, std::min(before, kAlignment));
  memset(reinterpret_cast<char*>(m.end), kSlack, m.page + m.room - m.end);
}

Memory& add_memory(uintptr_t begin, size_t bytes, MemoryKind kind, const Call& call) {
  Memory& m = memories().all[begin];
  m.begin = begin, m.end = begin + bytes, m.kind = kind, m.call = call.name, m.made = call.at;
  return m;
}

// Closes memory for good.
void give_back(Memory& m, Place at) {
  set_open(m, false);
  madvise(reinterpret_cast<void*>(m.page), m.room, MADV_DONTNEED);
  m.freed = at;
  memories().used -= m.end - m.begin;
}

// Whether the pattern beside an array is not what it was; it is mended then.
bool is_damaged(uintptr_t begin, uintptr_t end) {
  auto* bytes = reinterpret_cast<unsigned char*>(begin);
  size_t size = end - begin;
  bool whole = std::all_of(bytes, bytes + size, [](unsigned char b) { return b == kSlack; });
  if (!whole) memset(bytes, kSlack, size);
  return !whole;
}
}  // namespace

Memory* memory_at(uintptr_t address) {
  auto behind = memories().all.upper_bound(address);
  if (behind == memories().all.begin()) return nullptr;
  Memory& m = std::prev(behind)->second;
  return address < m.end || address == m.begin ? &m : nullptr;
}

Memory* memory_near(uintptr_t address) {
  if (!in_zone(address)) return memory_at(address);
  auto behind = memories().all.upper_bound(address);
  if (behind != memories().all.end() && behind->second.page <= address) return &behind->second;
  return behind == memories().all.begin() ? nullptr : &std::prev(behind)->second;
}

std::string describe(const Memory& m) {
  std::string freed = m.freed.file ? ", freed at " + words(m.freed) : "";
  return (m.name.empty() ? "memory" : "`" + m.name + "`") + " (" + std::to_string(m.end - m.begin) +
         " bytes, " + m.call + " at " + words(m.made) + freed + ")";
}

void set_open(Memory& m, bool open) {
  if (m.room == 0 || m.freed.file != nullptr || m.open.exchange(open) == open) return;
  mprotect(reinterpret_cast<void*>(m.page), m.room, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

// Another OS thread may have come first: then this one only tries again.
bool open_for_kernel(uintptr_t address) {
  Memory* m = in_zone(address) ? memory_near(address) : nullptr;
  if (m == nullptr || m->freed.file || address - m->page >= m->room) return false;
  set_open(*m, true);
  return true;
}

std::string close_after_launch() {
  std::string message;
  for (Memory* m : living_memory()) {
    if (m->room == 0 || !m->open) continue;
    size_t before = std::min<size_t>(m->begin - m->page, kAlignment);
    bool past = is_damaged(m->end, m->page + m->room);
    if (past || is_damaged(m->begin - before, m->begin)) {
      message = "wrote outside " + describe(*m) + (past ? ", past its end" : ", before its start") +
                "; run it with --check to see the thread and the line";
    }
    if (m->kind == kDevice) set_open(*m, false);
  }
  return message;
}

std::vector<Memory*> living_memory() {
  std::vector<Memory*> found;
  for (auto& [begin, m] : memories().all) {
    if (m.freed.file == nullptr) found.push_back(&m);
  }
  return found;
}

size_t most_bytes() { return memories().peak; }

std::string outside_of(uintptr_t address) {
  Memory* m = in_zone(address) ? memory_near(address) : nullptr;
  if (m == nullptr) return "";
  bool before = address < m->begin;
  return std::to_string(before ? m->begin - address : address - m->end) +
         (before ? " bytes before the start of " : " bytes past the end of ") + describe(*m);
}

// Whether the process may read an address that no file is mapped to: its stack, its heap, ...
bool is_host_memory(uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  uintptr_t begin, end;
  for (std::string row; std::getline(maps, row);) {
    if (sscanf(row.c_str(), "%lx-%lx", &begin, &end) != 2 || address - begin >= end - begin)
      continue;
    bool is_file = row.find('/') != std::string::npos;
    return row[row.find(' ') + 1] == 'r' && !is_file;
  }
  return false;
}

std::string describe_address(uintptr_t address) {
  if (in_zone(address)) {
    Memory* m = memory_near(address);
    bool inside = m != nullptr && address >= m->begin && address < m->end;
    return m == nullptr ? "" : ": " + (inside ? "it is in " + describe(*m) : outside_of(address));
  }
  return !is_host_memory(address) ? ""
                                  : ": it is host memory, which a GPU cannot reach; copy it with "
                                    "cudaMemcpy, or allocate it with cudaMallocManaged";
}

cudaError_t allocate(Call call, void** memory, size_t bytes, MemoryKind kind, const char* text) {
  Lock lock(api());
  if (cudaError_t error = result()) return error;
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  Memories& m = memories();
  size_t left = cudaDeviceProp().totalGlobalMem - m.used;
  size_t aligned = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  size_t room = (aligned + kPage - 1) / kPage * kPage;
  bool fits =
      bytes < left && reserve_zone(m) && size_t(m.zone + m.room - m.next) > room + 2 * reach(m);
  char* page = m.next + reach(m);
  if (!fits || mprotect(page, room, PROT_READ | PROT_WRITE) != 0) {
    return refuse_call(cudaErrorMemoryAllocation, call,
                       std::to_string(bytes) + " bytes were asked for, of " + std::to_string(left));
  }
  m.next = page + room;
  Memory& made = add_memory(reinterpret_cast<uintptr_t>(m.next) - aligned, bytes, kind, call);
  made.name = first_name(text);
  made.page = reinterpret_cast<uintptr_t>(page), made.room = room;
  m.peak = std::max(m.peak, m.used += bytes);
  fill_new(made);
  if (kind == kDevice) set_open(made, false);
  *memory = reinterpret_cast<void*>(made.begin);
  return cudaSuccess;
}

cudaError_t allocate_rows(Call call, void** memory, size_t* pitch, size_t width, size_t rows) {
  *pitch = (width + 511) / 512 * 512;
  return allocate(call, memory, *pitch * rows, kDevice);
}

cudaError_t release(Call call, void* memory) {
  Lock lock(api());
  if (cudaError_t error = result()) return error;
  if (memory == nullptr) return cudaSuccess;
  call.waits ? wait_for_all() : wait_for(call.stream);
  auto refused = [&](const std::string& why) {
    return refuse_call(cudaErrorInvalidValue, call, why);
  };
  Memory* m = memory_at(reinterpret_cast<uintptr_t>(memory));
  if (m == nullptr) return refused("no call has allocated this pointer");
  if (m->begin != reinterpret_cast<uintptr_t>(memory)) {
    return refused("the pointer is inside of " + describe(*m));
  }
  if (m->freed.file != nullptr) return refused(describe(*m) + " is freed already");
  if ((m->kind == kPinned) != (strcmp(call.name, "cudaFreeHost") == 0)) {
    return refused(describe(*m) +
                   (m->kind == kPinned ? " is freed by cudaFreeHost" : " is freed by cudaFree"));
  }
  give_back(*m, call.at);
  return result();
}
}  // namespace norch_sim

using namespace norch_sim;

cudaError_t cudaHostRegister(void* p, size_t n, unsigned, Place at) {
  Lock lock(api());
  Memory& m = add_memory(reinterpret_cast<uintptr_t>(p), n, kPinned, {__func__, at});
  m.page = m.begin;
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* p, Place at) {
  Lock lock(api());
  wait_for_all();
  if (memories().all.erase(reinterpret_cast<uintptr_t>(p)) != 0) return cudaSuccess;
  return refuse_call(cudaErrorHostMemoryNotRegistered, {__func__, at},
                     "cudaHostRegister was not given this pointer");
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, const void* p) {
  Lock lock(api());
  Memory* m = memory_at(reinterpret_cast<uintptr_t>(p));
  constexpr cudaMemoryType kTypes[] = {cudaMemoryTypeDevice, cudaMemoryTypeManaged,
                                       cudaMemoryTypeHost};
  auto* address = const_cast<void*>(p);
  *a = {m ? kTypes[m->kind] : cudaMemoryTypeUnregistered, 0, m ? address : nullptr,
        m && m->kind == kDevice ? nullptr : address};
  return cudaSuccess;
}

cudaError_t cudaDeviceReset(Place at) {
  Lock lock(api());
  wait_for_all();
  if (settings().checked && result() == cudaSuccess) say_leaks();
  for (Memory* m : living_memory()) {
    if (m->room != 0) give_back(*m, at);
  }
  break_device(cudaSuccess);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = cudaDeviceProp().totalGlobalMem;
  *free = *total - memories().used;
  return cudaSuccess;
}
