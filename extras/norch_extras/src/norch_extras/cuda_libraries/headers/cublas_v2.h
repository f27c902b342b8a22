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
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC,
  CUBLAS_COMPUTE_64F,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cudaDataType_t {
  CUDA_R_32F,
  CUDA_R_64F,
  CUDA_R_16F,
  CUDA_R_8I,
  CUDA_R_32I = 10,
  CUDA_R_16BF = 14,
  CUDA_R_8F_E4M3 = 28,
  CUDA_R_8F_E5M2
};
typedef cudaDataType_t cudaDataType, cublasDataType_t;
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

// ---- of any types ----

namespace norch_sim {
// Calls use(T()) with the C++ type that a data type names; false if there is none here.
template <class Use>
bool with_type(cudaDataType type, const Use& use) {
  switch (type) {
    case CUDA_R_32F:
      return use(float()), true;
    case CUDA_R_64F:
      return use(double()), true;
    case CUDA_R_16F:
      return use(__half()), true;
    case CUDA_R_16BF:
      return use(__nv_bfloat16()), true;
    case CUDA_R_8I:
      return use((signed char)0), true;
    case CUDA_R_32I:
      return use(0), true;
    default:
      return false;
  }
}
// A matrix of any type, as it lies: `count` of them are `step` elements apart.
struct AnyMatrix {
  const void* data;
  cudaDataType type;
  int stride;
  long long step = 0;
};
inline double load_any(const AnyMatrix& a, size_t i) {
  double value = 0;
  with_type(a.type,
            [&](auto one) { value = double(static_cast<const decltype(one)*>(a.data)[i]); });
  return value;
}
inline void store_any(const AnyMatrix& a, size_t i, double value) {
  with_type(a.type, [&](auto one) {
    static_cast<decltype(one)*>(const_cast<void*>(a.data))[i] = static_cast<decltype(one)>(value);
  });
}

// What is done with each sum: (row, column of the result, value) -> what is stored.
struct Plain {
  double operator()(int, int, double value) const { return value; }
};
// d = finish(alpha a b + beta c), summed in T; a, b and d may be of any types.
template <class T, class Finish>
void gemm_any(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, double alpha,
              const AnyMatrix& a, const AnyMatrix& b, double beta, const AnyMatrix& c,
              const AnyMatrix& d, int number, const Finish& finish) {
  auto dense = [&](const AnyMatrix& from, int rows, int columns) {
    std::vector<T> all(size_t(rows) * columns);
    for (size_t i = 0; i < all.size(); i++) {
      size_t at = i / rows * from.stride + i % rows;
      all[i] = T(load_any(from, at + size_t(number * from.step)));
    }
    return all;
  };
  std::vector<T> left = dense(a, ta ? k : m, ta ? m : k), right = dense(b, tb ? n : k, tb ? k : n);
  std::vector<T> sums(size_t(m) * n);
  gemm(Operand<T>(ta, left.data(), ta ? k : m), Operand<T>(tb, right.data(), tb ? n : k),
       sums.data(), m, n, k, T(1), T(0), m);
  for (size_t i = 0; i < sums.size(); i++) {
    int row = int(i % m), column = int(i / m);
    double old =
        beta == 0 ? 0
                  : beta * load_any(c, size_t(column) * c.stride + row + size_t(number * c.step));
    store_any(d, size_t(column) * d.stride + row + size_t(number * d.step),
              finish(row, column, alpha * double(sums[i]) + old));
  }
}
// alpha or beta, of the type that sums are made in.
template <class Compute>
double scale_of(const void* where, Compute compute) {
  bool half = int(compute) == CUBLAS_COMPUTE_16F || int(compute) == int(CUDA_R_16F);
  bool whole = int(compute) == CUBLAS_COMPUTE_32I || int(compute) == int(CUDA_R_32I);
  bool wide = int(compute) == CUBLAS_COMPUTE_64F || int(compute) == int(CUDA_R_64F);
  return load_any({where,
                   half    ? CUDA_R_16F
                   : whole ? CUDA_R_32I
                   : wide  ? CUDA_R_64F
                           : CUDA_R_32F,
                   1},
                  0);
}
}  // namespace norch_sim

template <class Compute>
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta,
                                          cublasOperation_t tb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType ka,
                                          int lda, long long sa, const void* b, cudaDataType kb,
                                          int ldb, long long sb, const void* beta, void* c,
                                          cudaDataType kc, int ldc, long long sc, int count,
                                          Compute compute, cublasGemmAlgo_t, NORCH_AT) {
  for (cudaDataType type : {ka, kb, kc}) {
    if (!norch_sim::with_type(type, [](auto) {})) return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  double first = norch_sim::scale_of(alpha, compute), second = norch_sim::scale_of(beta, compute);
  norch_sim::AnyMatrix left{a, ka, lda, sa}, right{b, kb, ldb, sb}, result{c, kc, ldc, sc};
  auto body = [=] {
    for (int i = 0; i < count; i++) {
      auto* product = kc == CUDA_R_64F || kc == CUDA_R_32I
                          ? norch_sim::gemm_any<double, norch_sim::Plain>
                          : norch_sim::gemm_any<float, norch_sim::Plain>;
      product(ta, tb, m, n, k, first, left, right, second, result, result, i, {});
    }
  };
  return norch_sim::on_device("cublasGemmEx", body, h->stream, at), norch_sim::launched();
}
template <class Compute>
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                            int n, int k, const void* alpha, const void* a, cudaDataType ka,
                            int lda, const void* b, cudaDataType kb, int ldb, const void* beta,
                            void* c, cudaDataType kc, int ldc, Compute compute,
                            cublasGemmAlgo_t way, NORCH_AT) {
  return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, ka, lda, 0, b, kb, ldb, 0, beta,
                                    c, kc, ldc, 0, 1, compute, way, at);
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
