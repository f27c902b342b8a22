// LAPACK's routines in float32 and float64, found in the OpenBLAS that core/blas.h opens. Whoever
// calls them (more/ops/linalg.cpp) asks require_lapack first, in the name of its operation.
#pragma once

#include <string>
#include <type_traits>

#include "core/blas.h"
#include "core/error.h"

namespace norch {
inline constexpr int kColumns = 102;  // the order, in the words of lapacke.h and cblas.h
inline constexpr int kLeft = 141, kUpper = 121, kLower = 122, kNoTrans = 111, kNonUnit = 131,
                     kUnit = 132;

// The variants whose workspace the caller brings: they check nothing and turn nothing around.
template <class T>
struct LapackRoutines {
  int (*gesdd)(int, char job, int m, int n, T* a, int lda, T* s, T* u, int ldu, T* vt, int ldvt,
               T* work, int lwork, int* iwork) = nullptr;
  int (*syevd)(int, char job, char uplo, int n, T* a, int lda, T* w, T* work, int lwork, int* iwork,
               int liwork) = nullptr;
  int (*geqrf)(int, int m, int n, T* a, int lda, T* tau, T* work, int lwork) = nullptr;
  int (*orgqr)(int, int m, int n, int k, T* a, int lda, const T* tau, T* work, int lwork) = nullptr;
  int (*potrf)(int, char uplo, int n, T* a, int lda) = nullptr;
  int (*getrf)(int, int m, int n, T* a, int lda, int* pivots) = nullptr;
  void (*trsm)(int, int side, int uplo, int trans, int diag, int m, int n, T alpha, const T* a,
               int lda, T* b, int ldb) = nullptr;
  int (*gels)(int, char trans, int m, int n, int columns, T* a, int lda, T* b, int ldb, T* work,
              int lwork) = nullptr;
  int (*gelsy)(int, int m, int n, int columns, T* a, int lda, T* b, int ldb, int* jpvt, T rcond,
               int* rank, T* work, int lwork) = nullptr;
  int (*gelsd)(int, int m, int n, int columns, T* a, int lda, T* b, int ldb, T* s, T rcond,
               int* rank, T* work, int lwork, int* iwork) = nullptr;
  int (*gelss)(int, int m, int n, int columns, T* a, int lda, T* b, int ldb, T* s, T rcond,
               int* rank, T* work, int lwork) = nullptr;
  bool complete = true;

  LapackRoutines() {
    const std::string letter = sizeof(T) == 4 ? "s" : "d";
    const auto find = [&](auto& function, const std::string& name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(blas::routine(name));
      complete = complete && function != nullptr;
    };
    const auto lapacke = [&](const char* name) { return "LAPACKE_" + letter + name + "_work"; };
    find(gesdd, lapacke("gesdd")), find(syevd, lapacke("syevd"));
    find(geqrf, lapacke("geqrf")), find(orgqr, lapacke("orgqr"));
    find(potrf, lapacke("potrf")), find(getrf, lapacke("getrf"));
    find(gels, lapacke("gels")), find(gelsy, lapacke("gelsy"));
    find(gelsd, lapacke("gelsd")), find(gelss, lapacke("gelss"));
    find(trsm, "cblas_" + letter + "trsm");
  }
};

template <class T>
const LapackRoutines<T>* find_lapack() {  // null when they are not there
  if (!blas::is_ready()) return nullptr;
  static const LapackRoutines<T> routines;
  return routines.complete ? &routines : nullptr;
}

// Whether the routines are there.
inline bool has_lapack() {
  return find_lapack<float>() != nullptr && find_lapack<double>() != nullptr;
}

// The one sentence about their absence, as an error in the name of `op`.
inline void require_lapack(const char* op) {
  if (has_lapack()) return;
  raise<Error>("[", op, "] needs LAPACK, which the optional OpenBLAS brings: pip install ",
               "scipy-openblas32", blas::is_enabled() ? "" : " (set_blas_enabled has it off now)");
}

// LAPACK's routines for floats of type T, or the error that they are absent.
template <class T>
const LapackRoutines<T>& lapack(const char* op) {
  require_lapack(op);
  return *find_lapack<T>();
}
}  // namespace norch
