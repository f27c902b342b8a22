// Stacks, and the one trick the simulator rests on: leaving a function half-way and coming back
// later.
//
// switch_context saves the registers a function call must preserve on the current stack and loads
// those of another stack: x86-64 and aarch64 do it in a dozen instructions; elsewhere ucontext does
// the same, slower.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <new>

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(NORCH_SIM_UCONTEXT)
#define NORCH_SIM_ASSEMBLER 1
#else
#include <ucontext.h>
#endif

namespace norch_sim {

constexpr size_t kPage = 4096;
// With the three pages around it an odd number, so that the tops of the stacks do not all fall into
// the same cache set.
constexpr size_t kStackBytes = 64 * kPage;

enum class StackPart { kBelow, kAbove, kElsewhere };

// One stack between two inaccessible pages, so that what leaves it at either end stops instead of
// corrupting; above them a page for what must survive whatever the stack's owner does.
class Stack {
 public:
  Stack() {
    void* memory = mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<char*>(memory);
    mprotect(base_, kPage, PROT_NONE);
    mprotect(end(), kPage, PROT_NONE);
  }
  ~Stack() { munmap(base_, kMapped); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  char* begin() const { return base_ + kPage; }
  char* end() const { return begin() + kStackBytes; }
  char* safe() const { return end() + kPage; }
  bool contains(uintptr_t address) const { return address - uintptr_t(base_) < kMapped; }
  // Which of the two inaccessible pages an address lies in.
  StackPart part(uintptr_t address) const {
    if (address - uintptr_t(base_) < kPage) return StackPart::kBelow;
    return address - uintptr_t(end()) < kPage ? StackPart::kAbove : StackPart::kElsewhere;
  }

 private:
  static constexpr size_t kMapped = kStackBytes + 3 * kPage;
  char* base_;
};

#ifdef NORCH_SIM_ASSEMBLER

struct Context {
  void* stack_pointer = nullptr;
};

extern "C" void norch_sim_switch(void** save, void* load);

inline void switch_context(Context& from, Context& to) {
  norch_sim_switch(&from.stack_pointer, to.stack_pointer);
}

// Makes the first switch to `context` enter `entry` on an empty stack that ends at `top`.
inline void prepare_context(Context& context, char* bottom, char* top, void (*entry)()) {
  (void)bottom;
  void** sp = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(15));
#if defined(__x86_64__)
  *--sp = nullptr;  // a call leaves the stack 8 bytes off a multiple of 16: so do we
  *--sp = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; i++) *--sp = nullptr;
#else
  sp -= 20;  // x19..x30 and d8..d15, as norch_sim_switch lays them out
  for (int i = 0; i < 20; i++) sp[i] = nullptr;
  sp[11] = reinterpret_cast<void*>(entry);  // x30, the return address
#endif
  context.stack_pointer = sp;
}

#else

struct Context {
  ucontext_t registers;
};

inline void switch_context(Context& from, Context& to) {
  swapcontext(&from.registers, &to.registers);
}

inline void prepare_context(Context& context, char* bottom, char* top, void (*entry)()) {
  getcontext(&context.registers);
  context.registers.uc_stack.ss_sp = bottom;
  context.registers.uc_stack.ss_size = static_cast<size_t>(top - bottom);
  context.registers.uc_link = nullptr;
  makecontext(&context.registers, entry, 0);
}

#endif

}  // namespace norch_sim
