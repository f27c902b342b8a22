// What is remembered of every word of memory in a checked launch: who wrote it last, who read it.
//
// Used by checker.cpp. Histories belong to bytes, not to the addresses that accesses begin at: a
// float4 and the four floats in it have the same ones.
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <memory>
#include <new>
#include <string>

namespace norch_sim {

enum class Kind : uint8_t { kPlain, kVolatile, kAtomic };

// One access, and when it happened in the order that barriers and clocks impose.
struct Access {
  uint32_t block = 0;  // linear index plus 1; 0: there was none
  uint32_t epoch = 0;  // barriers the block had passed
  uint32_t clock = 0;  // of the thread: see order.h
  uint32_t site = 0;   // where in the kernel: see checker.cpp
  uint16_t thread = 0;
  Kind kind = Kind::kPlain;

  bool by_same_thread(const Access& other) const {
    return block == other.block && thread == other.thread;
  }
};

struct Cell {
  Access write, read, other_read;  // the last write, the last read, one of another thread before it

  // Of all reads two are kept: the last, and the one that differs most from it. Whoever writes
  // later without a barrier meets at least one of them.
  void remember_read(const Access& now) {
    if (!read.by_same_thread(now)) {
      if (distance(read, now) >= distance(other_read, now)) other_read = read;
    }
    read = now;
  }
  void remember_write(const Access& now) {
    write = now;
    read = other_read = Access{};
  }

 private:
  // 3: another block, 2: another warp, 1: another lane, 0: ordered before `now`, or none.
  static int distance(const Access& before, const Access& now) {
    if (before.block == 0) return -1;
    if (before.block != now.block) return 3;
    if (before.epoch != now.epoch || before.thread == now.thread) return 0;
    return before.thread / 32 != now.thread / 32 ? 2 : 1;
  }
};

enum class Space { kGlobal, kShared, kLibrary };

// An array with its cells: one for each four bytes, or, once it was accessed in smaller pieces, one
// for each byte.
class Region {
 public:
  uintptr_t begin = 0, end = 0;
  Space space = Space::kGlobal;
  int argument = 0;  // of a global array: its position among the parameters, from 1
  std::string name;  // of a shared array, if known

  bool contains(uintptr_t address, size_t size) const {
    return address >= begin && address < end && size <= end - address;
  }
  // Calls visit(cell) for each cell that the bytes share; visit returns false to stop.
  template <class Visit>
  void visit(uintptr_t address, size_t size, Visit visit) {
    if (shift_ != 0 && ((address | size) & 3) != 0) split();
    if (cells_ == nullptr) cells_ = make(index(end) + 1);
    Cell* cell = &cells_[index(address)];
    Cell* last = &cells_[index(address + size - 1)];
    for (; cell <= last; cell++) {
      if (!visit(*cell)) return;
    }
  }
  // The cell of an aligned word, and behind it those of the words that follow; nullptr if there are
  // none yet, or one for each byte.
  Cell* words(uintptr_t address) const {
    bool whole = shift_ == 2 && (address & 3) == 0 && cells_ != nullptr;
    return whole ? &cells_[index(address)] : nullptr;
  }

 private:
  struct Free {
    void operator()(Cell* cells) const { free(cells); }
  };
  using Cells = std::unique_ptr<Cell[], Free>;

  size_t index(uintptr_t address) const { return (address - begin_of_cells()) >> shift_; }
  uintptr_t begin_of_cells() const { return begin & ~uintptr_t(3); }
  static Cells make(size_t count) {
    auto* cells = static_cast<Cell*>(calloc(count, sizeof(Cell)));  // all zero: as constructed
    if (cells == nullptr) throw std::bad_alloc();
    return Cells(cells);
  }
  void split() {
    size_t bytes = end - begin_of_cells();
    if (cells_ != nullptr) {
      Cells narrow = make(bytes + 4);
      for (size_t i = 0; i < bytes; i++) narrow[i] = cells_[i >> 2];
      cells_ = std::move(narrow);
    }
    shift_ = 0;
  }

  Cells cells_;
  int shift_ = 2;
};

}  // namespace norch_sim
