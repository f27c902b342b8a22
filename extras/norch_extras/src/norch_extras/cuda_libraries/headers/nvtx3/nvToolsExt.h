// <nvtx3/nvToolsExt.h> for programs: names of ranges for a profiler, of which there is none here.
#pragma once
#include <stdint.h>

// clang-format off: a row of a table has more than one column.
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE sizeof(nvtxEventAttributes_t)
enum { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB };
enum { NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII };
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration* nvtxDomainHandle_t;
struct nvtxEventAttributes_t {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union { uint64_t ullValue; int64_t llValue; double dValue; } payload;
  int32_t messageType;
  union { const char* ascii; const wchar_t* unicode; } message;
};
typedef nvtxEventAttributes_t nvtxEventAttributes;
// clang-format on

template <class... T>
int norch_nvtx(const T&...) {
  return 0;
}
#define nvtxRangePushA norch_nvtx
#define nvtxRangePush norch_nvtx
#define nvtxRangePushEx norch_nvtx
#define nvtxRangePop norch_nvtx
#define nvtxRangeStartA norch_nvtx
#define nvtxRangeStartEx norch_nvtx
#define nvtxRangeEnd norch_nvtx
#define nvtxMarkA norch_nvtx
#define nvtxMark norch_nvtx
#define nvtxNameOsThreadA norch_nvtx
#define nvtxNameCudaStreamA norch_nvtx
#define nvtxNameCudaEventA norch_nvtx
