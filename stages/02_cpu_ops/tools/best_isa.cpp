// Prints the best instruction set of this machine, for CMakeLists.txt (NORCH_ISAS=native).
#include "core/isa.h"

#include <cstdio>

int main() {
  const char* best = "";
  for (const norch::Isa isa : norch::kIsas) {
    if (norch::can_run(isa)) best = norch::name_of(isa);
  }
  std::printf("%s", best);
}
