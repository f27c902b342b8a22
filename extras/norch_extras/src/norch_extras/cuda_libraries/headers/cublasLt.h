// <cublasLt.h> for programs: a handle, for those that include it beside cuBLAS and go without.
#pragma once
#include <cublas_v2.h>

typedef struct cublasLtContext* cublasLtHandle_t;
inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t) { return CUBLAS_STATUS_SUCCESS; }
