// Calls the libraries that programs include: a line of numbers each. Faults are chosen by an
// option.
#include <cooperative_groups.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <curand.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <iostream>
#include <iterator>

template <class V>
void show(const char* name, const V& values) {
  std::cout << name << ":";
  for (size_t i = 0; i < values.size(); i++) std::cout << " " << double(values[i]);
  std::cout << "\n";
}
struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
// Every block adds what the others wrote before.
__global__ void together(float* all, float* sums) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int round = 0; round < 3; round++) {
    if (threadIdx.x == 7) all[blockIdx.x] = float(blockIdx.x + 10 * round);
    grid.sync();
    if (threadIdx.x == 3) {
      float sum = 0;
      for (unsigned i = 0; i < gridDim.x; i++) sum += all[i];
      sums[blockIdx.x] = sum;
    }
    grid.sync();
  }
}
void use_grid(int blocks) {
  thrust::device_vector<float> all(blocks), sums(blocks);
  float *a = thrust::raw_pointer_cast(&all[0]), *s = thrust::raw_pointer_cast(&sums[0]);
  void* arguments[] = {&a, &s};
  checkCudaErrors(cudaLaunchCooperativeKernel((void*)together, blocks, 32, arguments));
  show("grid", sums);
}

__global__ void twice(int* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] *= 2;
}

void use_thrust() {
  thrust::host_vector<int> keys(8);
  for (int i = 0; i < 8; i++) keys[i] = (5 * i + 3) % 8 / 2;
  thrust::device_vector<int> d = keys, v(8);
  thrust::sequence(v.begin(), v.end());
  thrust::stable_sort_by_key(d.begin(), d.end(), v.begin());
  show("keys", d);
  show("values", v);
  twice<<<1, 32>>>(thrust::raw_pointer_cast(v.data()), 8);
  v[3] = 100;
  v.push_back(-1);
  std::cout << "copied: ";
  thrust::copy(v.begin(), v.end(), std::ostream_iterator<int>(std::cout, " "));
  std::cout << "\nreduced: " << thrust::reduce(v.begin(), v.end()) << " "
            << thrust::reduce(v.begin(), v.end(), 0, thrust::maximum<int>()) << " "
            << thrust::count(d.begin(), d.end(), 3) << " "
            << thrust::transform_reduce(v.begin(), v.begin() + 3, Square(), 1.0f,
                                        thrust::plus<float>())
            << "\n";
  thrust::device_vector<int> sums(9);
  thrust::inclusive_scan(v.begin(), v.end(), sums.begin());
  show("inclusive", sums);
  thrust::exclusive_scan(thrust::device, v.begin(), v.end(), sums.begin(), 10);
  show("exclusive", sums);
  thrust::transform(v.begin(), v.end(), thrust::make_counting_iterator(1), sums.begin(),
                    thrust::multiplies<int>());
  thrust::transform(sums.begin(), sums.end(), thrust::make_constant_iterator(5), sums.begin(),
                    thrust::minus<int>());
  show("transformed", sums);
  d.resize(thrust::unique(d.begin(), d.end()) - d.begin());
  thrust::sort(d.begin(), d.end(), thrust::greater<int>());
  thrust::host_vector<int> back = d;
  show("unique", back);
  thrust::generate(back.begin(), back.end(), [] { return 4; });
  show("generated", back);
  std::cout << "sorted: " << thrust::is_sorted(d.begin(), d.end())
            << thrust::is_sorted(back.begin(), back.end()) << "\n";
  thrust::device_ptr<int> first(thrust::raw_pointer_cast(sums.data()));
  thrust::fill(first, first + 2, 7);
  show("filled", sums);
}

// (3 x 4) times (4 x 2) twice over, all columns 5 numbers apart; op(a) and op(b) as asked.
void use_cublas(cublasOperation_t ta, cublasOperation_t tb) {
  std::vector<float> host(60);
  for (size_t i = 0; i < host.size(); i++) host[i] = float(int(i * 7) % 11 - 5);
  thrust::device_vector<float> a(host), b(host.rbegin(), host.rend()), c(20, 1.0f), y(4, 2.0f);
  float* pa = thrust::raw_pointer_cast(a.data());
  float* pb = thrust::raw_pointer_cast(b.data());
  float* pc = thrust::raw_pointer_cast(c.data());
  float alpha = 2, beta = 0.5f, dot, norm;
  cublasHandle_t handle;
  checkCudaErrors(cublasCreate(&handle));
  checkCudaErrors(cublasSgemmStridedBatched(handle, ta, tb, 3, 2, 4, &alpha, pa, 5, 25, pb, 5, 20,
                                            &beta, pc, 5, 10, 2));
  show("gemm", c);
  checkCudaErrors(cublasSgemv(handle, ta, 3, 4, &alpha, pa, 5, pb, 2, &beta,
                              thrust::raw_pointer_cast(y.data()), 1));
  show("gemv", y);
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  checkCudaErrors(cublasSaxpy(handle, 4, pa, pb, 1, pc, 2));
  checkCudaErrors(cublasSdot(handle, 5, pa, 1, pb, 2, pc + 19));
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  checkCudaErrors(cublasSscal(handle, 3, &alpha, pc + 10, 1));
  show("axpy", c);
  checkCudaErrors(cublasSdot(handle, 5, pa, 1, pb, 2, &dot));
  checkCudaErrors(cublasSnrm2(handle, 60, pa, 1, &norm));
  std::cout << "scalars: " << dot << " " << norm << " "
            << cublasSgemm(handle, ta, tb, 30, 2, 4, &alpha, pa, 5, pb, 5, &beta, pc, 5) << "\n";
  cublasDestroy(handle);
}

void use_curand() {
  thrust::device_vector<float> numbers(4100);
  curandGenerator_t generator;
  checkCudaErrors(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
  curandSetPseudoRandomGeneratorSeed(generator, 0);
  checkCudaErrors(curandGenerateUniform(generator, thrust::raw_pointer_cast(numbers.data()), 4100));
  std::cout.precision(9);
  for (int i : {0, 1, 2, 3, 4, 5, 6, 7, 4096, 4097})
    std::cout << (i ? " " : "xorwow: ") << numbers[i];
  std::cout << "\nodd: " << curandGenerateNormal(generator, nullptr, 3, 0, 1) << "\n";
  checkCudaErrors(
      curandGenerateNormal(generator, thrust::raw_pointer_cast(numbers.data()), 4100, 5, 2));
  float mean = thrust::reduce(numbers.begin(), numbers.end()) / 4100;
  std::cout << "normal: " << mean << "\n";
  curandDestroyGenerator(generator);
}

void use_helpers(int argc, const char** argv) {
  char* text;
  StopWatchInterface* timer = nullptr;
  sdkCreateTimer(&timer);
  sdkStartTimer(&timer);
  sdkStopTimer(&timer);
  std::cout << "options: " << checkCmdLineFlag(argc, argv, "FLAG")
            << checkCmdLineFlag(argc, argv, "none") << " " << getCmdLineArgumentInt(argc, argv, "n")
            << " " << getCmdLineArgumentFloat(argc, argv, "x") << " "
            << getCmdLineArgumentString(argc, argv, "flag", &text) << " "
            << (sdkGetTimerValue(&timer) >= 0) << "\n";
  sdkDeleteTimer(&timer);
  std::vector<float> numbers = {0, 50, 100}, others = {0, 50.5f, 100};
  std::cout << "compared: " << sdkWriteFile("numbers.txt", numbers.data(), 3, 0.0f, false)
            << compareData(numbers.data(), others.data(), 3, 0.6f, 0.0f)
            << compareData(numbers.data(), others.data(), 3, 0.4f, 0.0f)
            << compareData(numbers.data(), others.data(), 3, 0.4f, 0.4f)
            << sdkCompareL2fe(numbers.data(), others.data(), 3, 0.01f) << "\n";
  char* path = sdkFindFilePath("numbers.txt", argv[0]);
  std::cout << "path: " << (path != nullptr) << "\n";
  remove(path);
  free(path);
}

int main(int argc, char** argv_) {
  const char** argv = const_cast<const char**>(argv_);
  findCudaDevice(argc, argv);
  if (checkCmdLineFlag(argc, argv, "bad_copy")) {
    checkCudaErrors(cudaMemcpy(nullptr, argv, 8, cudaMemcpyHostToDevice));  // bad_copy
  } else if (checkCmdLineFlag(argc, argv, "unwritten")) {
    int* memory;
    checkCudaErrors(cudaMalloc(&memory, 40));
    std::cout << thrust::reduce(thrust::device, memory, memory + 10) << "\n";
    cudaFree(memory);
  } else if (checkCmdLineFlag(argc, argv, "too_large")) {
    thrust::device_vector<float> x(10);
    cublasHandle_t handle;
    cublasCreate(&handle);
    float two = 2, *p = thrust::raw_pointer_cast(x.data());
    cublasSscal(handle, 11, &two, p, 1);  // too_large
    cublasDestroy(handle);
  } else {
    use_grid(5);
    use_grid(3);
    use_thrust();
    use_cublas(CUBLAS_OP_N, CUBLAS_OP_N);
    use_cublas(CUBLAS_OP_T, CUBLAS_OP_T);
    use_curand();
    use_helpers(argc, argv);
  }
}
