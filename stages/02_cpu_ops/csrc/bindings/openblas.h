// Where OpenBLAS lies is Python's to say. Bindings whose kernels multiply matrices ask here first,
// while they hold the GIL; the kernels themselves only ask core/blas.h.
#pragma once

namespace norch {

// Looks OpenBLAS up once, by the first product or convolution that is worth it.
void find_blas();

}  // namespace norch
