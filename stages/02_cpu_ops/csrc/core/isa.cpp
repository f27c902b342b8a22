// Which instruction set this CPU offers.
#include "core/isa.h"

#include <cstring>

#include "core/error.h"

namespace norch {
namespace {

bool is_available(Isa isa) {
#ifdef NORCH_X86
  __builtin_cpu_init();
  if (isa == Isa::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx512) {
    return is_available(Isa::avx2) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  }
#endif
  return isa == Isa::baseline;
}

Isa best_isa() {
  if (is_available(Isa::avx512)) return Isa::avx512;
  return is_available(Isa::avx2) ? Isa::avx2 : Isa::baseline;
}

}  // namespace

std::atomic<Isa> current_isa{best_isa()};

const char* name_of(Isa isa) {
  if (isa == Isa::avx512) return "avx512";
  return isa == Isa::avx2 ? "avx2" : "baseline";
}

void set_instruction_set(const char* name) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (std::strcmp(name, name_of(isa)) == 0 && is_available(isa)) return current_isa.store(isa);
  }
  raise<ValueError>("[set_instruction_set] '", name, "' is not available here: expected baseline",
                    is_available(Isa::avx2) ? ", avx2" : "",
                    is_available(Isa::avx512) ? ", avx512" : "");
}

}  // namespace norch
