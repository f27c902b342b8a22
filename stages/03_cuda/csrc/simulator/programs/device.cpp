// The one device there is: what it says of itself, and the limits a program may set.
#include "program.h"

using namespace norch_sim;

namespace {
size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

cudaError_t only_the_first(int device, const Call& call) {
  if (device == 0) return result();
  return refuse_call(cudaErrorInvalidDevice, call,
                     "device " + std::to_string(device) + " of 1 device, which is number 0");
}
}  // namespace

cudaError_t cudaSetDevice(int device, Place at) { return only_the_first(device, {__func__, at}); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device, Place at) {
  *properties = {};
  return only_the_first(device, {__func__, at});
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device, Place at) {
  cudaDeviceProp properties;
  *value = 0;
#define NORCH_VALUE(name, number, field) \
  if (attribute == cudaDevAttr##name) *value = static_cast<int>(properties.field);
  NORCH_ATTRIBUTES(NORCH_VALUE)
  return only_the_first(device, {__func__, at});
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return limits[limit] = value, cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return *value = limits[limit], cudaSuccess;
}
