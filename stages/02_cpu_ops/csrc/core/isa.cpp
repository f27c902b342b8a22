// Which instruction sets this build has and this CPU can run.
#include "core/isa.h"

#include <cstring>

#include "core/error.h"

namespace norch {
namespace {
// CMakeLists.txt tells this file alone which kernels are linked, so that the others stay compiled
// when more are asked for.
constexpr bool is_built([[maybe_unused]] Isa isa) {
#ifdef NORCH_HAS_baseline
  if (isa == Isa::baseline) return true;
#endif
#ifdef NORCH_HAS_avx2
  if (isa == Isa::avx2) return true;
#endif
#ifdef NORCH_HAS_avx512
  if (isa == Isa::avx512) return true;
#endif
  return false;
}

// Whether kernels of this set are linked and this CPU runs them.
bool is_available(Isa isa) { return is_built(isa) && can_run(isa); }

// The widest instruction set that can be used here.
Isa best_isa() {
  Isa best = Isa::baseline;
  for (const Isa isa : kIsas) {
    if (is_available(isa)) best = isa;
  }
  return best;
}

// The names of some instruction sets, as messages list them.
std::string names_of(bool (*wanted)(Isa)) {
  std::string names;
  for (const Isa isa : kIsas) {
    if (wanted(isa)) names += (names.empty() ? "" : ", ") + std::string(name_of(isa));
  }
  return names;
}
}  // namespace

std::atomic<Isa> current_isa{best_isa()};

// The instruction sets to choose from here, by name.
std::vector<std::string> available_isas() {
  std::vector<std::string> names;
  for (const Isa isa : kIsas) {
    if (is_available(isa)) names.emplace_back(name_of(isa));
  }
  return names;
}

// The instruction sets whose kernels are linked, as one text.
std::string built_isas() {
  return names_of([](Isa isa) { return is_built(isa); });
}

// Chooses the instruction set of all kernels from now on.
void set_instruction_set(const char* name) {
  for (const Isa isa : kIsas) {
    if (std::strcmp(name, name_of(isa)) == 0 && is_available(isa)) return current_isa.store(isa);
  }
  const std::string missing = names_of([](Isa isa) { return can_run(isa) && !is_built(isa); });
  raise<ValueError>("[set_instruction_set] '", name, "' is not available here: expected ",
                    names_of(&is_available), missing.empty() ? "" : "; this build leaves out ",
                    missing,
                    missing.empty() ? "" : ", which make test compiles too (NORCH_ISAS=all)");
}
}  // namespace norch
