// <helper_cuda.h> of CUDA's samples: checks of what the API returns, and the choice of a device.
//
// Written anew, with the samples' names; there is one device, and so no choice to make.
#pragma once
#include <cuda_runtime.h>
#include <helper_string.h>
#include <stdint.h>

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
// The status of a library.
template <class Status>
const char* _cudaGetErrorEnum(Status) {
  return "a library's status";
}
template <class Status>
void check(Status status, const char* call, const char* file, int line) {
  if (static_cast<unsigned>(status) == 0) return;
  fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, int(status),
          _cudaGetErrorEnum(status), call);
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

inline bool norch_print_last_error(const char* message, const char* file, int line) {
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return false;
  fprintf(stderr, "%s(%d) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message,
          int(error), cudaGetErrorString(error));
  return true;
}
inline void __getLastCudaError(const char* message, const char* file, int line) {
  if (norch_print_last_error(message, file, line)) exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
#define printLastCudaError(message) norch_print_last_error(message, __FILE__, __LINE__)

inline int ftoi(float value) { return int(value >= 0 ? value + 0.5f : value - 0.5f); }

// Cores of a multiprocessor, by compute capability.
inline int _ConvertSMVer2Cores(int major, int minor) {
  if (major == 6 && minor == 0) return 64;
  if (major == 7 || (major == 8 && minor == 0)) return 64;
  return major == 3 ? 192 : 128;
}
inline int gpuDeviceInit(int device) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (device >= count) return -device;
  checkCudaErrors(cudaSetDevice(device < 0 ? 0 : device));
  return device < 0 ? 0 : device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int argc, const char** argv) {
  int device = gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device"));
  if (device < 0) {
    printf("exiting...\n");
    exit(EXIT_FAILURE);
  }
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, properties.name,
         properties.major, properties.minor);
  return device;
}
