// <cublasLt.h> for programs: one product, described by attributes, with what follows it (a bias,
// GELU) in the same call. No algorithm is chosen: there is one.
#pragma once
#include <cublas_v2.h>

// clang-format off: a row of a table has more than one column.
enum cublasLtEpilogue_t { CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4, CUBLASLT_EPILOGUE_RELU_BIAS = 6, CUBLASLT_EPILOGUE_GELU = 32,
  CUBLASLT_EPILOGUE_GELU_BIAS = 36, CUBLASLT_EPILOGUE_GELU_AUX = 160,
  CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 164, CUBLASLT_EPILOGUE_DGELU = 192,
  CUBLASLT_EPILOGUE_BGRADB = 512 };
enum cublasLtMatmulDescAttributes_t { CUBLASLT_MATMUL_DESC_COMPUTE_TYPE,
  CUBLASLT_MATMUL_DESC_SCALE_TYPE, CUBLASLT_MATMUL_DESC_POINTER_MODE,
  CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB, CUBLASLT_MATMUL_DESC_TRANSC,
  CUBLASLT_MATMUL_DESC_FILL_MODE, CUBLASLT_MATMUL_DESC_EPILOGUE,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 11,
  CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26 };
enum cublasLtMatrixLayoutAttribute_t { CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET };
enum cublasLtMatmulPreferenceAttributes_t { CUBLASLT_MATMUL_PREF_SEARCH_MODE,
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES };
typedef struct cublasLtContext {}* cublasLtHandle_t;
typedef struct cublasLtPreference {}* cublasLtMatmulPreference_t;
struct cublasLtMatmulAlgo_t { int number; };
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo; size_t workspaceSize; cublasStatus_t state; float wavesCount;
};
typedef struct cublasLtMatmulDescription {
  cublasComputeType_t compute;
  cudaDataType scale, bias_type = CUDA_R_32F;
  cublasOperation_t left = CUBLAS_OP_N, right = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void *bias = nullptr, *aux = nullptr;
  int64_t aux_stride = 0;
}* cublasLtMatmulDesc_t;
typedef struct cublasLtMatrixDescription {
  cudaDataType type; uint64_t rows, columns; int64_t stride; int count = 1; int64_t step = 0;
}* cublasLtMatrixLayout_t;
// clang-format on

// ---- descriptions: made, changed, given up ----

template <class Made, class... T>
cublasStatus_t norch_lt_make(Made** made, T... values) {
  return *made = new Made{values...}, CUBLAS_STATUS_SUCCESS;
}
template <class Made>
cublasStatus_t norch_lt_delete(Made* made) {
  return delete made, CUBLAS_STATUS_SUCCESS;
}
#define cublasLtCreate norch_lt_make
#define cublasLtDestroy norch_lt_delete
#define cublasLtMatmulDescCreate norch_lt_make
#define cublasLtMatmulDescDestroy norch_lt_delete
#define cublasLtMatrixLayoutCreate norch_lt_make
#define cublasLtMatrixLayoutDestroy norch_lt_delete
#define cublasLtMatmulPreferenceCreate norch_lt_make
#define cublasLtMatmulPreferenceDestroy norch_lt_delete
inline cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                           cublasLtMatmulPreferenceAttributes_t,
                                                           const void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

#define NORCH_LT_SET(attribute, field) \
  case attribute:                      \
    return memcpy(&field, value, n), CUBLAS_STATUS_SUCCESS;
inline cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d,
                                                     cublasLtMatmulDescAttributes_t which,
                                                     const void* value, size_t n) {
  switch (which) {
    NORCH_LT_SET(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, d->compute)
    NORCH_LT_SET(CUBLASLT_MATMUL_DESC_SCALE_TYPE, d->scale)
    NORCH_LT_SET(CUBLASLT_MATMUL_DESC_TRANSA, d->left)
    NORCH_LT_SET(CUBLASLT_MATMUL_DESC_TRANSB, d->right)
    NORCH_LT_SET(CUBLASLT_MATMUL_DESC_EPILOGUE, d->epilogue)
    NORCH_LT_SET(CUBLASLT_MATMUL_DESC_BIAS_POINTER, d->bias)
    NORCH_LT_SET(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, d->aux)
    NORCH_LT_SET(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, d->aux_stride)
    NORCH_LT_SET(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, d->bias_type)
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
inline cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t m,
                                                       cublasLtMatrixLayoutAttribute_t which,
                                                       const void* value, size_t n) {
  switch (which) {
    NORCH_LT_SET(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, m->count)
    NORCH_LT_SET(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, m->step)
  }
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
#undef NORCH_LT_SET
inline cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t,
                                                     cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatmulPreference_t, int,
                                                     cublasLtMatmulHeuristicResult_t* results,
                                                     int* count) {
  *results = {}, *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

// ---- the product ----

namespace norch_sim {
// tanh's approximation of GELU, and its derivative.
inline double gelu(double x) {
  return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}
inline double dgelu(double x) {
  double t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 0.134145 * x * x);
}
// What an epilogue makes of a sum: the bias belongs to its row; `aux` keeps what GELU is given.
struct Epilogue {
  cublasLtMatmulDescription how;
  AnyMatrix aux;
  double operator()(int row, int column, double value) const {
    size_t at = size_t(column) * aux.stride + row;
    if (how.epilogue == CUBLASLT_EPILOGUE_DGELU) return value * dgelu(load_any(aux, at));
    if (how.epilogue & CUBLASLT_EPILOGUE_BIAS) value += load_any({how.bias, how.bias_type, 1}, row);
    if (how.epilogue & 128) store_any(aux, at, value);
    if (how.epilogue & CUBLASLT_EPILOGUE_GELU) return gelu(value);
    return how.epilogue & CUBLASLT_EPILOGUE_RELU && value < 0 ? 0 : value;
  }
};
// The sums of b along what the product sums over: the gradient of a bias.
inline void sum_columns(const cublasLtMatmulDescription& how, const AnyMatrix& b, int n, int k) {
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int p = 0; p < k; p++) {
      sum += load_any(b, how.right ? size_t(p) * b.stride + j : size_t(j) * b.stride + p);
    }
    store_any({how.bias, how.bias_type, 1}, j, sum);
  }
}
}  // namespace norch_sim

inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t how, const void* alpha,
                                     const void* a, cublasLtMatrixLayout_t la, const void* b,
                                     cublasLtMatrixLayout_t lb, const void* beta, const void* c,
                                     cublasLtMatrixLayout_t lc, void* d, cublasLtMatrixLayout_t ld,
                                     const cublasLtMatmulAlgo_t*, void*, size_t,
                                     cudaStream_t stream, NORCH_AT) {
  auto any = [](const void* data, cublasLtMatrixLayout_t l) {
    return norch_sim::AnyMatrix{data, l->type, int(l->stride), l->step};
  };
  norch_sim::AnyMatrix left = any(a, la), right = any(b, lb), old = any(c, lc), result = any(d, ld);
  norch_sim::Epilogue epilogue{*how, {how->aux, result.type, int(how->aux_stride)}};
  double first = norch_sim::load_any({alpha, how->scale, 1}, 0);
  double second = norch_sim::load_any({beta, how->scale, 1}, 0);
  int m = int(ld->rows), n = int(ld->columns), k = int(how->left ? la->rows : la->columns);
  auto body = [=, count = ld->count] {
    for (int i = 0; i < count; i++) {
      norch_sim::gemm_any<float>(epilogue.how.left, epilogue.how.right, m, n, k, first, left, right,
                                 second, old, result, i, epilogue);
    }
    if (epilogue.how.epilogue == CUBLASLT_EPILOGUE_BGRADB) {
      norch_sim::sum_columns(epilogue.how, right, n, k);
    }
  };
  return norch_sim::on_device("cublasLtMatmul", body, stream, at), norch_sim::launched();
}
