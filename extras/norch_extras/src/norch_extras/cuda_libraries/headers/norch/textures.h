// Arrays, textures and surfaces of the runtime API: what a kernel reads by a place, not an index.
//
// An array is rows of device memory; a texture object is the address of its description. Filters
// follow the guide's formulas, their fractions in 8 bits as on a GPU. The checker does not look at
// what textures read: their places cannot lie outside. Included by <cuda_runtime.h>.
#pragma once
#include <math.h>

// clang-format off: a row of a table has more than one column.
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned,
  cudaChannelFormatKindFloat, cudaChannelFormatKindNone };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
  cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray,
  cudaResourceTypeLinear, cudaResourceTypePitch2D };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum : unsigned { cudaArrayDefault, cudaArrayLayered, cudaArraySurfaceLoadStore, cudaArrayCubemap = 4,
  cudaArrayTextureGather = 8 };
struct cudaChannelFormatDesc { int x, y, z, w; cudaChannelFormatKind f; };
typedef cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct { cudaArray_t array; } array;
    struct { void* devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
    struct {
      void* devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
// clang-format on
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;

namespace norch_sim {
// An array, and what a texture or surface reads: `extent` counts elements.
struct Texture : cudaArray {
  cudaChannelFormatDesc format;
  cudaExtent extent;
  cudaTextureDesc how;
};
inline size_t element_of(const cudaChannelFormatDesc& f) {
  return size_t(f.x + f.y + f.z + f.w) / 8;
}

// The type of a part of T, a number or a vector of them.
template <class T, class = void>
struct PartOf {
  using type = T;
};
template <class T>
struct PartOf<T, std::void_t<decltype(T::x)>> {
  using type = decltype(T::x);
};

#define NORCH_UNSEEN __attribute__((no_sanitize("thread")))  // by the checker
template <class T>
NORCH_UNSEEN double load_as(const char* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return double(value);
}

// Part `i` of the texel that lies at `from`: a number, or a fraction of the type's largest.
NORCH_UNSEEN inline double part_at(const Texture& t, const char* from, int i) {
  int bits = t.format.x;
  from += i * bits / 8;
  if (t.format.f == cudaChannelFormatKindFloat) return load_as<float>(from);
  bool is_signed = t.format.f == cudaChannelFormatKindSigned;
  double value = bits == 8    ? (is_signed ? load_as<signed char>(from) : load_as<uint8_t>(from))
                 : bits == 16 ? (is_signed ? load_as<int16_t>(from) : load_as<uint16_t>(from))
                              : (is_signed ? load_as<int>(from) : load_as<unsigned>(from));
  if (t.how.readMode == cudaReadModeElementType) return value;
  return fmax(value / ((1ll << (bits - is_signed)) - 1), -1.0);
}

// The index that an address mode makes of one outside; -1 for the border.
NORCH_UNSEEN inline long address(long i, long size, cudaTextureAddressMode mode) {
  if (i >= 0 && i < size) return i;
  long round = ((i % (2 * size)) + 2 * size) % (2 * size);
  switch (mode) {
    case cudaAddressModeWrap:
      return round % size;
    case cudaAddressModeMirror:
      return round < size ? round : 2 * size - 1 - round;
    case cudaAddressModeClamp:
      return i < 0 ? 0 : size - 1;
    default:
      return -1;
  }
}

// Part `i` of the texel at an index; `layers` are no axis, and end at the last one.
NORCH_UNSEEN inline double texel(const Texture& t, const long index[3], int axes, int i) {
  const long size[] = {long(t.extent.width), long(t.extent.height), long(t.extent.depth)};
  long at[3];
  for (int axis = 0; axis < 3; axis++) {
    auto mode = axis < axes ? t.how.addressMode[axis] : cudaAddressModeClamp;
    at[axis] = address(index[axis], size[axis], mode);
    if (at[axis] < 0) return t.how.borderColor[i];
  }
  auto* data = static_cast<const char*>(t.memory.ptr);
  size_t row = size_t(at[2]) * t.memory.ysize + size_t(at[1]);
  return part_at(t, data + row * t.memory.pitch + size_t(at[0]) * t.element, i);
}

// A texel, or the mean of its neighbours along the first `axes` coordinates.
template <class T>
NORCH_UNSEEN T sample(cudaTextureObject_t object, const float (&place)[3], int axes) {
  const Texture& t = *reinterpret_cast<const Texture*>(object);
  const size_t size[] = {t.extent.width, t.extent.height, t.extent.depth};
  bool linear = t.how.filterMode == cudaFilterModeLinear;
  long first[3];
  double fraction[3] = {};
  for (int axis = 0; axis < 3; axis++) {
    double x = place[axis];
    if (axis < axes) x = (t.how.normalizedCoords ? x * double(size[axis]) : x) - 0.5 * linear;
    first[axis] = long(floor(x));
    if (linear && axis < axes) fraction[axis] = rint((x - floor(x)) * 256) / 256;
  }
  T value{};
  using Part = typename PartOf<T>::type;
  for (size_t i = 0; i < sizeof(T) / sizeof(Part); i++) {
    double sum = 0;
    for (int corner = 0; corner < (linear ? 1 << axes : 1); corner++) {
      double weight = 1;
      long at[3];
      for (int axis = 0; axis < 3; axis++) {
        int side = corner >> axis & 1;
        at[axis] = first[axis] + side;
        weight *= side ? fraction[axis] : 1 - fraction[axis];
      }
      if (weight > 0) sum += weight * texel(t, at, axes, int(i));
    }
    reinterpret_cast<Part*>(&value)[i] = Part(sum);
  }
  return value;
}

// The face of a cube that a direction meets, and where on it, from 0 to 1.
NORCH_UNSEEN inline int face_of(float x, float y, float z, float* u, float* v) {
  float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
  int axis = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
  float largest = axis == 0 ? ax : axis == 1 ? ay : az;
  bool negative = (axis == 0 ? x : axis == 1 ? y : z) < 0;
  float s = axis == 0 ? (negative ? z : -z) : axis == 1 ? x : (negative ? -x : x);
  float t = axis == 1 ? (negative ? -z : z) : -y;
  *u = (s / largest + 1) / 2, *v = (t / largest + 1) / 2;
  return 2 * axis + negative;
}

inline cudaError_t make_array(cudaArray_t* made, const cudaChannelFormatDesc& format,
                              cudaExtent extent, Place at) {
  auto* t = new Texture{};
  t->format = format, t->element = element_of(format);
  t->extent = {extent.width, extent.height ? extent.height : 1, extent.depth ? extent.depth : 1};
  *made = t;
  return cudaMalloc3D(&t->memory, {extent.width * t->element, t->extent.height, t->extent.depth},
                      at);
}
// Where byte x of row y of an array lies.
NORCH_UNSEEN inline char* byte_of(cudaArray_const_t array, size_t x, size_t y) {
  return static_cast<char*>(array->memory.ptr) + y * array->memory.pitch + x;
}

// What a texture or surface object stands for.
inline Texture* describe_resource(const cudaResourceDesc& resource) {
  auto* t = new Texture{};
  if (resource.resType == cudaResourceTypeArray) {
    *t = *static_cast<Texture*>(resource.res.array.array);
  } else if (resource.resType == cudaResourceTypeLinear) {
    const auto& linear = resource.res.linear;
    t->format = linear.desc, t->element = element_of(linear.desc);
    t->extent = {linear.sizeInBytes / t->element, 1, 1};
    t->memory = {linear.devPtr, linear.sizeInBytes, linear.sizeInBytes, 1};
  } else {
    const auto& rows = resource.res.pitch2D;
    t->format = rows.desc, t->element = element_of(rows.desc);
    t->extent = {rows.width, rows.height, 1};
    t->memory = {rows.devPtr, rows.pitchInBytes, rows.width * t->element, rows.height};
  }
  return t;
}
}  // namespace norch_sim

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Part = typename norch_sim::PartOf<T>::type;
  constexpr int kBits = 8 * sizeof(Part), kParts = sizeof(T) / sizeof(Part);
  return {kBits, kParts > 1 ? kBits : 0, kParts > 2 ? kBits : 0, kParts > 3 ? kBits : 0,
          std::is_floating_point_v<Part> ? cudaChannelFormatKindFloat
          : std::is_signed_v<Part>       ? cudaChannelFormatKindSigned
                                         : cudaChannelFormatKindUnsigned};
}

// ---- arrays ----

inline cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                                   size_t width, size_t height = 0, unsigned = 0, NORCH_AT) {
  return norch_sim::make_array(array, *format, {width, height, 0}, at);
}
inline cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                                     cudaExtent extent, unsigned = 0, NORCH_AT) {
  return norch_sim::make_array(array, *format, extent, at);
}
inline cudaError_t cudaFreeArray(cudaArray_t array, NORCH_AT) {
  cudaError_t error = array ? cudaFree(array->memory.ptr, at) : cudaSuccess;
  delete static_cast<norch_sim::Texture*>(array);
  return error;
}
inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  *format = static_cast<const norch_sim::Texture*>(array)->format;
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from,
                                       size_t pitch, size_t width, size_t height,
                                       cudaMemcpyKind kind, NORCH_AT) {
  return cudaMemcpy2D(norch_sim::byte_of(to, x, y), to->memory.pitch, from, pitch, width, height,
                      kind, at);
}
inline cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                         size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                         NORCH_AT) {
  return cudaMemcpy2D(to, pitch, norch_sim::byte_of(from, x, y), from->memory.pitch, width, height,
                      kind, at);
}
// `n` bytes from a place on, row by row.
inline cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t n,
                                     cudaMemcpyKind kind, NORCH_AT) {
  size_t row = to->memory.xsize - x, rows = n <= row ? 1 : n / row;
  return cudaMemcpy2DToArray(to, x, y, from, n <= row ? n : row, n <= row ? n : row, rows, kind,
                             at);
}
inline cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y,
                                       size_t n, cudaMemcpyKind kind, NORCH_AT) {
  size_t row = from->memory.xsize - x, rows = n <= row ? 1 : n / row;
  return cudaMemcpy2DFromArray(to, n <= row ? n : row, from, x, y, n <= row ? n : row, rows, kind,
                               at);
}

// ---- objects ----

inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object,
                                           const cudaResourceDesc* resource,
                                           const cudaTextureDesc* how, const void*) {
  norch_sim::Texture* t = norch_sim::describe_resource(*resource);
  t->how = *how;
  *object = reinterpret_cast<cudaTextureObject_t>(t);
  return cudaSuccess;
}
inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object,
                                           const cudaResourceDesc* resource) {
  *object = reinterpret_cast<cudaSurfaceObject_t>(norch_sim::describe_resource(*resource));
  return cudaSuccess;
}
inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  delete reinterpret_cast<norch_sim::Texture*>(object);
  return cudaSuccess;
}
inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return cudaDestroyTextureObject(object);
}

// ---- in kernels ----

// name<T>(object, parameters): the place that they say, of which `axes` are filtered.
#define NORCH_TEXTURE(name, parameters, axes, ...)              \
  template <class T>                                            \
  T name(cudaTextureObject_t object, NORCH_OPEN parameters) {   \
    return norch_sim::sample<T>(object, {__VA_ARGS__}, axes);   \
  }                                                             \
  template <class T, class... P>                                \
  void name(T* value, cudaTextureObject_t object, P... place) { \
    *value = name<T>(object, place...);                         \
  }
NORCH_TEXTURE(tex1Dfetch, (int x), 0, float(x), 0, 0)
NORCH_TEXTURE(tex1D, (float x), 1, x, 0, 0)
NORCH_TEXTURE(tex2D, (float x, float y), 2, x, y, 0)
NORCH_TEXTURE(tex3D, (float x, float y, float z), 3, x, y, z)
NORCH_TEXTURE(tex1DLayered, (float x, int layer), 1, x, 0, float(layer))
NORCH_TEXTURE(tex2DLayered, (float x, float y, int layer), 2, x, y, float(layer))
template <class T>
T texCubemapLayered(cudaTextureObject_t object, float x, float y, float z, int layer) {
  float u, v;
  int face = norch_sim::face_of(x, y, z, &u, &v);
  return norch_sim::sample<T>(object, {u, v, float(6 * layer + face)}, 2);
}
template <class T>
T texCubemap(cudaTextureObject_t object, float x, float y, float z) {
  return texCubemapLayered<T>(object, x, y, z, 0);
}

// `x` counts bytes.
template <class T>
NORCH_UNSEEN T* norch_surface(cudaSurfaceObject_t object, int x, int y,
                              cudaSurfaceBoundaryMode mode) {
  const auto& t = *reinterpret_cast<const norch_sim::Texture*>(object);
  int width = int(t.memory.xsize), height = int(t.extent.height), last = width - int(sizeof(T));
  bool inside = x >= 0 && x <= last && y >= 0 && y < height;
  if (!inside && mode == cudaBoundaryModeTrap) __trap();
  if (!inside && mode == cudaBoundaryModeZero) return nullptr;
  x = x < 0 ? 0 : x > last ? last : x, y = y < 0 ? 0 : y >= height ? height - 1 : y;
  return reinterpret_cast<T*>(norch_sim::byte_of(&t, size_t(x), size_t(y)));
}
template <class T>
void surf2Dwrite(T value, cudaSurfaceObject_t object, int x, int y,
                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  if (T* place = norch_surface<T>(object, x, y, mode)) *place = value;
}
template <class T>
T surf2Dread(cudaSurfaceObject_t object, int x, int y,
             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  const T* place = norch_surface<T>(object, x, y, mode);
  return place ? *place : T{};
}
template <class T>
void surf2Dread(T* value, cudaSurfaceObject_t object, int x, int y,
                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *value = surf2Dread<T>(object, x, y, mode);
}
