// OpenBLAS with other last digits, for tools/test_machines.py: what its products had to round, they
// round to a neighbour here, for about half of the elements. Which half hangs on the value alone,
// so equal results stay equal, and what is exact stays so: other processors differ in no other way.
// LIBRARY is the path of the real one, which is linked behind this and has all the rest.
#include <dlfcn.h>

#include <cstdint>
#include <cstring>

namespace {
template <class T>
using Gemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a,
                      int lda, const T* b, int ldb, T beta, T* c, int ldc);

// The function of that name in the real library.
template <class Function>
Function real(const char* name) {
  static void* const library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function>(dlsym(library, name));
}

// Turns the last bit of a number over where the bits above it say so. Zeros below: it was exact.
template <class Bits, class T>
void nudge(T& number, Bits infinite) {
  Bits bits;
  std::memcpy(&bits, &number, sizeof bits);
  if ((bits & 0xff) == 0 || (bits & infinite) == infinite) return;
  bits ^= (bits >> 2 ^ bits >> 6) & 1;
  std::memcpy(&number, &bits, sizeof bits);
}

template <class Bits, class T>
void nudge_all(T* c, int m, int n, int ldc, Bits infinite) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) nudge<Bits>(c[i * ldc + j], infinite);
  }
}
}  // namespace

extern "C" void scipy_cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha,
                                  const float* a, int lda, const float* b, int ldb, float beta,
                                  float* c, int ldc) {
  static const auto gemm = real<Gemm<float>>("scipy_cblas_sgemm");
  gemm(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  nudge_all<uint32_t>(c, m, n, ldc, 0x7f800000u);
}

extern "C" void scipy_cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha,
                                  const double* a, int lda, const double* b, int ldb, double beta,
                                  double* c, int ldc) {
  static const auto gemm = real<Gemm<double>>("scipy_cblas_dgemm");
  gemm(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  nudge_all<uint64_t>(c, m, n, ldc, 0x7ff0000000000000u);
}

// How norch.blas() describes it; make test-machines reads the last word but one.
extern "C" const char* scipy_openblas_get_config() { return "OpenBLAS with other last-digits -"; }
