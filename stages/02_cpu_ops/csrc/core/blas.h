// OpenBLAS, opened at run time when the package scipy-openblas32 is installed; never a requirement.
// It is told to use one thread: the matmul kernels, but those for AVX-512, which are faster, hand
// it slices from our own pool. It brings LAPACK too: more/ops/lapack.h.
#pragma once

#include <string>

#include "core/matrix.h"

namespace norch {
namespace blas {
// Where the shared library lies; "" means there is none.  Nothing is opened yet.
void set_library(const std::string& path);

// A switch for lessons and tests: with false every product is computed by norch's own kernel.
void set_enabled(bool on);
bool is_enabled();

// Opens the library at the first call; false when it is absent, broken or switched off.
bool is_ready();

// "OpenBLAS ..." as the library describes itself, or "norch" when it is not ready.
std::string description();

// Another routine of the library, by the name that its documentation gives; null when the library
// is not ready or has none of that name.
void* routine(const std::string& name);

// BLAS wants one unit stride, and the other at least as long as the lines it jumps over.
template <class T>
bool accepts(const MatrixView<T>& a);

// c (m, n) (+)= a (m, k) b (k, n); needs is_ready() and accepts(a), accepts(b).
template <class T>
void gemm(const MatrixView<T>& a, const MatrixView<T>& b, T* c, int64_t ldc, bool accumulate);
}  // namespace blas
}  // namespace norch
