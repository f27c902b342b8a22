// One source, several instruction sets. Every file of csrc/kernels (and core/transpose.cpp) is
// compiled once per set, with NORCH_ISA defined as baseline, avx2 or avx512; at run time the table
// of the best set this CPU can run is chosen. csrc/scalar_kernels is compiled once: its loops are
// all branches and scattered moves, which no vector instruction helps.
//
// A family declares a struct of function pointers in its header:
//     struct SoftmaxTable { void (*softmax)(const Array& a, int dim, Array& out); };
// its .cpp puts the functions into an anonymous namespace or into norch::NORCH_ISA (code compiled
// for AVX-512 must never be merged with a namesake compiled for the baseline) and ends with
//     template <> const SoftmaxTable& table<SoftmaxTable, kIsa>() {
//       static constexpr SoftmaxTable t{&softmax};
//       return t;
//     }
// and its callers write  kernels<SoftmaxTable>().softmax(a, dim, out).
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace norch {
enum class Isa { baseline, avx2, avx512 };
inline constexpr Isa kIsas[] = {Isa::baseline, Isa::avx2, Isa::avx512};  // the best one last

// An instruction set as set_instruction_set and the messages call it.
inline const char* name_of(Isa isa) {
  if (isa == Isa::avx512) return "avx512";
  return isa == Isa::avx2 ? "avx2" : "baseline";
}

// Whether this machine can run the kernels of a set. CMakeLists.txt asks too, by
// tools/best_isa.cpp, when only this machine's kernels are to be compiled.
inline bool can_run(Isa isa) {
#ifdef NORCH_X86
  __builtin_cpu_init();
  if (isa == Isa::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx512) {
    return can_run(Isa::avx2) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  }
#endif
  return isa == Isa::baseline;
}

// Weak: a build for one machine has the kernels of its own set alone (NORCH_ISAS=native), and
// nobody asks for a table that current_isa does not name.
template <class Table, Isa isa>
[[gnu::weak]] const Table& table();

extern std::atomic<Isa> current_isa;  // the best there is, found at load time

// What this build has and this machine can run, the simplest first; empty on a strange machine.
std::vector<std::string> available_isas();
std::string built_isas();  // "avx512", or "baseline, avx2, avx512"
// "baseline", "avx2" or "avx512"; ValueError for one this machine or this build does not have.
void set_instruction_set(const char* name);

// A family's kernels for the instruction set in use.
template <class Table>
const Table& kernels() {
#ifdef NORCH_X86
  const Isa isa = current_isa.load(std::memory_order_relaxed);
  if (isa == Isa::avx512) return table<Table, Isa::avx512>();
  if (isa == Isa::avx2) return table<Table, Isa::avx2>();
#endif
  return table<Table, Isa::baseline>();
}

#ifdef NORCH_ISA
inline constexpr Isa kIsa = Isa::NORCH_ISA;  // the set this kernel file is being compiled for
#endif
}  // namespace norch
