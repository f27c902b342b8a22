// <cublas_v2.h> for programs: vectors, matrix times vector, matrix times matrix, column by column.
//
// Written from the formulas in plain loops, for float and double; each call is one kernel of one
// thread. Products are summed in the order of k, which a GPU does not promise.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <device_work.h>

#define CUBLAS_API_H_  // by which helper_cuda.h knows that it is there
#include <cmath>
#include <vector>

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS,
  CUBLAS_STATUS_NOT_INITIALIZED,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR,
  CUBLAS_STATUS_NOT_SUPPORTED,
  CUBLAS_STATUS_LICENSE_ERROR
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasMath_t { CUBLAS_DEFAULT_MATH, CUBLAS_TENSOR_OP_MATH, CUBLAS_TF32_TENSOR_OP_MATH = 3 };
enum cublasComputeType_t {
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cudaDataType_t { CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF = 14 };
typedef cudaDataType_t cudaDataType;
typedef struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
}* cublasHandle_t;

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return handle->stream = stream, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  return handle->mode = mode, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  return CUBLAS_STATUS_SUCCESS;
}
namespace norch_sim {
inline cublasStatus_t launched() {
  bool fine = cudaPeekAtLastError() == cudaSuccess;
  return fine ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

// alpha or beta: the host's are read when the function is called, the device's when it runs.
template <class T>
struct Scalar {
  const T* where;
  T value;
  Scalar(cublasHandle_t handle, const T* p)
      : where(handle->mode == CUBLAS_POINTER_MODE_DEVICE ? p : nullptr), value(where ? T() : *p) {}
  T get() const { return where ? *where : value; }
};

template <class R, class F>
cublasStatus_t blas_result(cublasHandle_t handle, const char* name, R* result, const F& body,
                           Place at) {
  if (handle->mode == CUBLAS_POINTER_MODE_DEVICE) {
    on_device(name, [=] { *result = body(); }, handle->stream, at);
  } else {
    *result = from_device<R>(name, body, handle->stream, at);
  }
  return launched();
}

// Element (i, j) of op(matrix) lies at i * row + j * column.
template <class T>
struct Operand {
  const T* data;
  ptrdiff_t row, column;
  Operand(cublasOperation_t op, const T* data, int stride)
      : data(data), row(op ? stride : 1), column(op ? 1 : stride) {}
  T at(ptrdiff_t i, ptrdiff_t j) const { return data[i * row + j * column]; }
};

// c = alpha a b + beta c; a is laid out in columns first, so that the inner loop runs along them.
template <class T>
void gemm(Operand<T> a, Operand<T> b, T* c, int m, int n, int k, T alpha, T beta, int ldc) {
  std::vector<T> copied(a.row == 1 ? 0 : size_t(m) * k), sums(m);
  for (int j = 0; j < k && !copied.empty(); j++) {
    for (int i = 0; i < m; i++) copied[size_t(j) * m + i] = a.at(i, j);
  }
  const T* columns = a.row == 1 ? a.data : copied.data();
  ptrdiff_t step = a.row == 1 ? a.column : m;
  for (int j = 0; j < n; j++) {
    std::fill(sums.begin(), sums.end(), T());
    for (int p = 0; p < k; p++) {
      T factor = b.at(p, j);
      for (int i = 0; i < m; i++) sums[i] += columns[p * step + i] * factor;
    }
    T* out = c + ptrdiff_t(j) * ldc;
    for (int i = 0; i < m; i++) out[i] = alpha * sums[i] + (beta == T() ? T() : beta * out[i]);
  }
}

// `count` products, their operands each a stride further.
template <class T>
cublasStatus_t gemms(const char* name, cublasHandle_t handle, cublasOperation_t ta,
                     cublasOperation_t tb, int m, int n, int k, const T* alpha, const T* a, int lda,
                     long long sa, const T* b, int ldb, long long sb, const T* beta, T* c, int ldc,
                     long long sc, int count, Place at) {
  if (m < 0 || n < 0 || k < 0 || lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  Scalar<T> first(handle, alpha), second(handle, beta);
  auto body = [=] {
    for (int i = 0; i < count; i++) {
      gemm(Operand<T>(ta, a + i * sa, lda), Operand<T>(tb, b + i * sb, ldb), c + i * sc, m, n, k,
           first.get(), second.get(), ldc);
    }
  };
  on_device(name, body, handle->stream, at);
  return launched();
}
}  // namespace norch_sim

// All functions of one type: the letter in their names, and the type.
#define NORCH_BLAS(X, T)                                                                           \
  inline cublasStatus_t cublas##X##axpy(cublasHandle_t h, int n, const T* alpha, const T* x,       \
                                        int dx, T* y, int dy, NORCH_AT) {                          \
    norch_sim::Scalar<T> factor(h, alpha);                                                         \
    auto body = [=] {                                                                              \
      for (ptrdiff_t i = 0; i < n; i++) y[i * dy] += factor.get() * x[i * dx];                     \
    };                                                                                             \
    return norch_sim::on_device("cublas" #X "axpy", body, h->stream, at), norch_sim::launched();   \
  }                                                                                                \
  inline cublasStatus_t cublas##X##scal(cublasHandle_t h, int n, const T* alpha, T* x, int dx,     \
                                        NORCH_AT) {                                                \
    norch_sim::Scalar<T> factor(h, alpha);                                                         \
    auto body = [=] {                                                                              \
      for (ptrdiff_t i = 0; i < n; i++) x[i * dx] *= factor.get();                                 \
    };                                                                                             \
    return norch_sim::on_device("cublas" #X "scal", body, h->stream, at), norch_sim::launched();   \
  }                                                                                                \
  inline cublasStatus_t cublas##X##copy(cublasHandle_t h, int n, const T* x, int dx, T* y, int dy, \
                                        NORCH_AT) {                                                \
    auto body = [=] {                                                                              \
      for (ptrdiff_t i = 0; i < n; i++) y[i * dy] = x[i * dx];                                     \
    };                                                                                             \
    return norch_sim::on_device("cublas" #X "copy", body, h->stream, at), norch_sim::launched();   \
  }                                                                                                \
  inline cublasStatus_t cublas##X##dot(cublasHandle_t h, int n, const T* x, int dx, const T* y,    \
                                       int dy, T* result, NORCH_AT) {                              \
    auto body = [=] {                                                                              \
      T sum = 0;                                                                                   \
      for (ptrdiff_t i = 0; i < n; i++) sum += x[i * dx] * y[i * dy];                              \
      return sum;                                                                                  \
    };                                                                                             \
    return norch_sim::blas_result(h, "cublas" #X "dot", result, body, at);                         \
  }                                                                                                \
  inline cublasStatus_t cublas##X##nrm2(cublasHandle_t h, int n, const T* x, int dx, T* result,    \
                                        NORCH_AT) {                                                \
    auto body = [=] {                                                                              \
      double sum = 0;                                                                              \
      for (ptrdiff_t i = 0; i < n; i++) sum += double(x[i * dx]) * x[i * dx];                      \
      return T(std::sqrt(sum));                                                                    \
    };                                                                                             \
    return norch_sim::blas_result(h, "cublas" #X "nrm2", result, body, at);                        \
  }                                                                                                \
  inline cublasStatus_t cublas##X##gemv(cublasHandle_t h, cublasOperation_t op, int m, int n,      \
                                        const T* alpha, const T* a, int lda, const T* x, int dx,   \
                                        const T* beta, T* y, int dy, NORCH_AT) {                   \
    norch_sim::Scalar<T> factor(h, alpha), old(h, beta);                                           \
    norch_sim::Operand<T> matrix(op, a, lda);                                                      \
    int rows = op ? n : m, columns = op ? m : n;                                                   \
    auto body = [=] {                                                                              \
      for (ptrdiff_t i = 0; i < rows; i++) {                                                       \
        T sum = 0, before = old.get();                                                             \
        for (ptrdiff_t j = 0; j < columns; j++) sum += matrix.at(i, j) * x[j * dx];                \
        y[i * dy] = factor.get() * sum + (before == 0 ? 0 : before * y[i * dy]);                   \
      }                                                                                            \
    };                                                                                             \
    return norch_sim::on_device("cublas" #X "gemv", body, h->stream, at), norch_sim::launched();   \
  }                                                                                                \
  inline cublasStatus_t cublas##X##gemmStridedBatched(                                             \
      cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,           \
      const T* alpha, const T* a, int lda, long long sa, const T* b, int ldb, long long sb,        \
      const T* beta, T* c, int ldc, long long sc, int count, NORCH_AT) {                           \
    return norch_sim::gemms("cublas" #X "gemmStridedBatched", h, ta, tb, m, n, k, alpha, a, lda,   \
                            sa, b, ldb, sb, beta, c, ldc, sc, count, at);                          \
  }                                                                                                \
  inline cublasStatus_t cublas##X##gemm(cublasHandle_t h, cublasOperation_t ta,                    \
                                        cublasOperation_t tb, int m, int n, int k, const T* alpha, \
                                        const T* a, int lda, const T* b, int ldb, const T* beta,   \
                                        T* c, int ldc, NORCH_AT) {                                 \
    return norch_sim::gemms("cublas" #X "gemm", h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0,   \
                            beta, c, ldc, 0, 1, at);                                               \
  }
NORCH_BLAS(S, float)
NORCH_BLAS(D, double)
#undef NORCH_BLAS

// Of any types: float alone here.
template <class Compute>
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                            int n, int k, const void* alpha, const void* a, cudaDataType ka,
                            int lda, const void* b, cudaDataType kb, int ldb, const void* beta,
                            void* c, cudaDataType kc, int ldc, Compute, cublasGemmAlgo_t,
                            NORCH_AT) {
  if (ka != CUDA_R_32F || kb != CUDA_R_32F || kc != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  return cublasSgemm(h, ta, tb, m, n, k, static_cast<const float*>(alpha),
                     static_cast<const float*>(a), lda, static_cast<const float*>(b), ldb,
                     static_cast<const float*>(beta), static_cast<float*>(c), ldc, at);
}

// Copies of vectors and matrices, their strides in elements: to the device, and back.
#define NORCH_BLAS_COPY(name, direction)                                                      \
  inline cublasStatus_t cublas##name##Matrix(int rows, int columns, int size, const void* a,  \
                                             int lda, void* b, int ldb) {                     \
    cudaMemcpy2D(b, size_t(ldb) * size, a, size_t(lda) * size, size_t(rows) * size, columns,  \
                 direction);                                                                  \
    return norch_sim::launched();                                                             \
  }                                                                                           \
  inline cublasStatus_t cublas##name##Vector(int n, int size, const void* x, int dx, void* y, \
                                             int dy) {                                        \
    return cublas##name##Matrix(1, n, size, x, dx, y, dy);                                    \
  }
NORCH_BLAS_COPY(Set, cudaMemcpyHostToDevice)
NORCH_BLAS_COPY(Get, cudaMemcpyDeviceToHost)
#undef NORCH_BLAS_COPY
