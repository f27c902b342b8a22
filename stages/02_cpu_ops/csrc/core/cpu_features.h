// Which instruction sets the machine at hand can run. core/isa.cpp asks at run time; CMakeLists.txt
// asks once, by tools/best_isa.cpp, when only this machine's kernels are to be compiled.
#pragma once

namespace norch {

enum class Isa { baseline, avx2, avx512 };
inline constexpr Isa kIsas[] = {Isa::baseline, Isa::avx2, Isa::avx512};  // the best one last

inline const char* name_of(Isa isa) {
  if (isa == Isa::avx512) return "avx512";
  return isa == Isa::avx2 ? "avx2" : "baseline";
}

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

}  // namespace norch
