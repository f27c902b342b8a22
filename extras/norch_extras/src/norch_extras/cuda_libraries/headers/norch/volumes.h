// Memory in three dimensions, of the runtime API: rows in slices, and arrays of them.
//
// Included by <cuda_runtime.h>.
#pragma once

// clang-format off: a row of a table has more than one column.
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void* ptr; size_t pitch, xsize, ysize; };
struct cudaArray { cudaPitchedPtr memory; size_t element; };  // bytes of an element
struct cudaMemcpy3DParms {
  cudaArray* srcArray; cudaPos srcPos; cudaPitchedPtr srcPtr;
  cudaArray* dstArray; cudaPos dstPos; cudaPitchedPtr dstPtr;
  cudaExtent extent; cudaMemcpyKind kind;
};
// clang-format on
inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* p, size_t pitch, size_t x, size_t y) {
  return {p, pitch, x, y};
}

namespace norch_sim {
// Places and sizes count in elements where an array takes part.
inline cudaError_t copy_3d(Call call, const cudaMemcpy3DParms& p) {
  const cudaArray* array = p.srcArray ? p.srcArray : p.dstArray;
  size_t element = array ? array->element : 1;
  auto rows = [&](const cudaArray* array, const cudaPitchedPtr& given, const cudaPos& start) {
    const cudaPitchedPtr& side = array ? array->memory : given;
    size_t slice = side.pitch * side.ysize;
    size_t offset = start.x * (array ? element : 1) + start.y * side.pitch + start.z * slice;
    return Rows{static_cast<char*>(side.ptr) + offset, side.pitch, slice};
  };
  cudaExtent extent{p.extent.width * element, p.extent.height, p.extent.depth};
  return copy(call, rows(p.dstArray, p.dstPtr, p.dstPos), rows(p.srcArray, p.srcPtr, p.srcPos),
              extent, p.kind);
}
}  // namespace norch_sim

inline cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent extent, NORCH_AT) {
  p->xsize = extent.width, p->ysize = extent.height;
  return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth, at);
}
NORCH_TWICE(inline, cudaMemcpy3D, (const cudaMemcpy3DParms* p), copy_3d, *p)
NORCH_TWICE(inline, cudaMemset3D, (cudaPitchedPtr p, int value, cudaExtent extent), fill,
            {p.ptr, p.pitch, p.pitch * p.ysize}, value, extent)
