// What the shelf adds to the runtime API and its libraries: a line of numbers for each part.
#include <cublasLt.h>
#include <cuda_runtime.h>
#include <helper_math.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/remove.h>

#include <vector>

template <class V>
void show(const char* name, const V& values) {
  printf("%s:", name);
  for (size_t i = 0; i < values.size(); i++) printf(" %.7g", double(values[i]));
  printf("\n");
}

cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureAddressMode address,
                               cudaTextureFilterMode filter, bool fractions = false) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  for (auto& mode : how.addressMode) mode = address;
  how.filterMode = filter;
  how.readMode = fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  how.normalizedCoords = address == cudaAddressModeWrap || address == cudaAddressModeMirror;
  cudaTextureObject_t object;
  cudaCreateTextureObject(&object, &resource, &how, nullptr);
  return object;
}
template <class T>
cudaArray_t array_of(const std::vector<T>& values, size_t width, size_t height, size_t depth) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaMemcpy3DParms copy = {};
  copy.extent = make_cudaExtent(width, height, depth ? depth : 1);
  cudaMalloc3DArray(&copy.dstArray, &format, make_cudaExtent(width, height, depth));
  copy.srcPtr = make_cudaPitchedPtr((void*)values.data(), width * sizeof(T), width, height);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  return copy.dstArray;
}
__global__ void read_places(cudaTextureObject_t texture, const float4* places, int kind,
                            float* out) {
  float4 p = places[threadIdx.x];
  out[threadIdx.x] = kind == 0   ? tex2D<float>(texture, p.x, p.y)
                     : kind == 1 ? tex2DLayered<float>(texture, p.x, p.y, int(p.z))
                     : kind == 2 ? texCubemap<float>(texture, p.x, p.y, p.z)
                                 : tex3D<float>(texture, p.x, p.y, p.z);
}
void read_texture(const char* name, cudaTextureObject_t texture, int kind,
                  const std::vector<float4>& places) {
  thrust::device_vector<float4> where(places);
  thrust::device_vector<float> out(places.size());
  read_places<<<1, unsigned(places.size())>>>(texture, thrust::raw_pointer_cast(where.data()), kind,
                                              thrust::raw_pointer_cast(out.data()));
  show(name, out);
  cudaDestroyTextureObject(texture);
}
__global__ void draw(cudaSurfaceObject_t surface) {
  surf2Dwrite(float(10 * threadIdx.y + threadIdx.x), surface, int(4 * threadIdx.x), threadIdx.y);
}
void use_textures() {
  std::vector<float> numbers;
  for (int i = 0; i < 24; i++) numbers.push_back(float(i * i));
  std::vector<unsigned char> bytes = {0, 51, 102, 255};
  cudaArray_t rows = array_of(numbers, 4, 3, 0), cube = array_of(numbers, 2, 2, 6);
  cudaArray_t box = array_of(numbers, 4, 3, 2), small = array_of(bytes, 2, 2, 0);
  const auto kClamp = cudaAddressModeClamp, kWrap = cudaAddressModeWrap;
  const auto kPoint = cudaFilterModePoint, kLinear = cudaFilterModeLinear;
  std::vector<float4> places = {{0.5, 0.5}, {1, 1}, {3.9, 2.9}, {-7, 1.5}, {2.25, 1.75}};
  read_texture("point", texture_of(rows, kClamp, kPoint), 0, places);
  read_texture("linear", texture_of(rows, kClamp, kLinear), 0, places);
  read_texture("border", texture_of(rows, cudaAddressModeBorder, kPoint), 0, places);
  read_texture("wrap", texture_of(rows, kWrap, kPoint), 0, {{1.125, -0.5}, {0.375, 2.5}});
  read_texture("mirror", texture_of(rows, cudaAddressModeMirror, kPoint), 0, {{1.125, -0.1}});
  read_texture("fractions", texture_of(small, kClamp, kPoint, true), 0,
               {{0.5, 0.5}, {1.5, 0.5}, {0.5, 1.5}, {1.5, 1.5}});
  read_texture("layers", texture_of(box, kClamp, kLinear), 1, {{1, 1, 0}, {1, 1, 1}, {1, 1, 9}});
  read_texture("box", texture_of(box, kClamp, kLinear), 3, {{1, 1, 1}, {1, 1, 0.5}});
  read_texture("cube", texture_of(cube, kWrap, kPoint), 2,
               {{1, 0.5, 0.5},
                {-1, 0.5, 0.5},
                {0.5, 1, 0.5},
                {0.5, -1, 0.5},
                {0.5, 0.5, 1},
                {0.5, 0.5, -1}});
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = rows;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  draw<<<1, dim3(4, 3)>>>(surface);
  std::vector<float> drawn(12);
  cudaMemcpy2DFromArray(drawn.data(), 16, rows, 0, 0, 16, 3, cudaMemcpyDeviceToHost);
  show("drawn", drawn);
  cudaDestroySurfaceObject(surface);
  for (cudaArray_t array : {rows, cube, box, small}) cudaFreeArray(array);
}

void use_volumes() {
  cudaExtent all = make_cudaExtent(3, 2, 2), part = make_cudaExtent(2, 1, 2);
  cudaPitchedPtr volume;
  cudaMalloc3D(&volume, all);
  cudaMemset3D(volume, 1, all);
  char written[] = {5, 6, 7, 8}, back[12];
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(written, 2, 2, 1);
  copy.dstPtr = volume;
  copy.dstPos = make_cudaPos(1, 1, 0);
  copy.extent = part;
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  copy = {};
  copy.srcPtr = volume;
  copy.dstPtr = make_cudaPitchedPtr(back, 3, 3, 2);
  copy.extent = all;
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&copy);
  show("volume", std::vector<char>(back, back + 12));
  cudaFree(volume.ptr);
}

__global__ void step(float* x, float factor, float added) {
  x[threadIdx.x] = x[threadIdx.x] * factor + added;
}
void use_graphs() {
  std::vector<float> out(4);
  float* x;
  cudaMalloc(&x, 16);
  cudaMemset(x, 0, 16);
  cudaStream_t one, two;
  cudaStreamCreate(&one), cudaStreamCreate(&two);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork), cudaEventCreate(&join);
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  step<<<1, 4, 0, one>>>(x, 2, 1);
  cudaEventRecord(fork, one);
  cudaStreamWaitEvent(two, fork, 0);
  step<<<1, 4, 0, two>>>(x, 3, 0);
  cudaEventRecord(join, two);
  cudaStreamWaitEvent(one, join, 0);
  cudaStreamEndCapture(one, &graph);
  size_t count = 0;
  cudaGraphGetNodes(graph, nullptr, &count);
  cudaGraphInstantiate(&made, graph, 0);
  cudaMemcpy(out.data(), x, 16, cudaMemcpyDeviceToHost);
  printf("captured: %g %zu\n", out[0], count);
  for (int i = 0; i < 2; i++) cudaGraphLaunch(made, one);
  cudaStreamSynchronize(one);
  cudaMemcpy(out.data(), x, 16, cudaMemcpyDeviceToHost);
  show("launched", out);
  cudaGraphExecDestroy(made), cudaGraphDestroy(graph);

  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t clear, work, back;
  float factor = 2, added = 5;
  void* arguments[] = {&x, &factor, &added};
  cudaMemsetParams zeros = {x, 0, 0, 4, 4, 1};
  cudaKernelNodeParams kernel = {(void*)step, 1, 4, 0, arguments, nullptr};
  cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zeros);
  cudaGraphAddKernelNode(&work, graph, &clear, 1, &kernel);
  cudaGraphAddMemcpyNode1D(&back, graph, &work, 1, out.data(), x, 16, cudaMemcpyDeviceToHost);
  cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0);
  added = 7;
  cudaGraphLaunch(made, one);
  cudaStreamSynchronize(one);
  show("by hand", out);
  cudaGraphExecKernelNodeSetParams(made, work, &kernel);
  cudaGraphLaunch(made, one);
  cudaStreamSynchronize(one);
  show("changed", out);
  cudaGraphExecDestroy(made), cudaGraphDestroy(graph);
  cudaEventDestroy(fork), cudaEventDestroy(join);
  cudaStreamDestroy(one), cudaStreamDestroy(two);
  cudaFree(x);
}

void use_products() {
  thrust::host_vector<signed char> a(6), b(6);
  for (int i = 0; i < 6; i++) a[i] = char(i - 2), b[i] = char(100 - i);
  thrust::device_vector<signed char> da(a), db(b);
  thrust::device_vector<int> dc(4);
  cublasHandle_t handle;
  cublasCreate(&handle);
  int one = 1, zero = 0;
  cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, thrust::raw_pointer_cast(da.data()),
               CUDA_R_8I, 2, thrust::raw_pointer_cast(db.data()), CUDA_R_8I, 3, &zero,
               thrust::raw_pointer_cast(dc.data()), CUDA_R_32I, 2, CUBLAS_COMPUTE_32I,
               CUBLAS_GEMM_DEFAULT);
  show("bytes", dc);
  cublasDestroy(handle);
  thrust::device_vector<float> x(std::vector<float>{1, 2, 3, 4}),
      w(std::vector<float>{1, 0, -1, 2});
  thrust::device_vector<float> bias(std::vector<float>{0.5, -8}), y(4), before(4);
  float *pb = thrust::raw_pointer_cast(bias.data()), alpha = 1, none = 0;
  float* pre = thrust::raw_pointer_cast(before.data());
  cublasLtHandle_t lt;
  cublasLtMatmulDesc_t how;
  cublasLtMatrixLayout_t layout;
  cublasLtCreate(&lt);
  cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 2, 2, 2);
  cublasOperation_t transposed = CUBLAS_OP_T;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
  int64_t stride = 2;
  cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed);
  cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &pb, sizeof pb);
  cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &pre, sizeof pre);
  cublasLtMatmulDescSetAttribute(how, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &stride, sizeof stride);
  cublasLtMatmul(lt, how, &alpha, thrust::raw_pointer_cast(w.data()), layout,
                 thrust::raw_pointer_cast(x.data()), layout, &none,
                 thrust::raw_pointer_cast(y.data()), layout, thrust::raw_pointer_cast(y.data()),
                 layout, nullptr, nullptr, 0, 0);
  show("before", before);
  show("gelu", y);
  cublasLtMatrixLayoutDestroy(layout), cublasLtMatmulDescDestroy(how), cublasLtDestroy(lt);
}

struct IsEven {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
int main() {
  nvtxRangePushA("all");
  use_textures();
  use_volumes();
  use_graphs();
  use_products();
  thrust::device_vector<int> v(std::vector<int>{4, 1, 7, 4, 9, 4, 2}), out(7);
  thrust::adjacent_difference(v.begin(), v.end(), out.begin());
  show("differences", out);
  out.resize(size_t(thrust::copy_if(v.begin(), v.end(), out.begin(), IsEven()) - out.begin()));
  show("even", out);
  v.resize(size_t(thrust::remove(v.begin(), v.end(), 4) - v.begin()));
  show("removed", v);
  float3 c = cross(make_float3(1, 2, 3), make_float3(2.0f)) + 0.5f * make_float3(2, 4, 6);
  printf("vectors: %g %g %g %g %g\n", c.x, c.y, c.z, dot(c, c), length(make_float2(3, 4)));
  cudaMemPool_t pool;
  int* p;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaError_t error = cudaMallocFromPoolAsync(&p, 64, pool, 0);
  cudaFreeAsync(p, 0);
  printf("pool: %d\n", int(error));
  nvtxRangePop();
}
