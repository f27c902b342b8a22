// Two streams in halves, events, rows with a pitch, pinned memory: prints what it finds.
#include <cstdio>

__global__ void twice(float* values, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] *= 2;
}

static void add_one(void* counter) { ++*static_cast<int*>(counter); }

int main() {
  constexpr int kHalf = 500;
  float *pinned, *device, milliseconds = -1;
  int calls = 0;
  cudaStream_t streams[2];
  cudaEvent_t begin, copied, end;
  cudaMallocHost(&pinned, 2 * kHalf * sizeof(float));
  cudaMalloc(&device, 2 * kHalf * sizeof(float));
  cudaEventCreate(&begin);
  cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
  cudaEventCreate(&end);
  for (int i = 0; i < 2 * kHalf; i++) pinned[i] = float(i);
  cudaEventRecord(begin);
  for (int s = 0; s < 2; s++) {
    cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking);
    float *from = pinned + s * kHalf, *to = device + s * kHalf;
    cudaMemcpyAsync(to, from, kHalf * sizeof(float), cudaMemcpyHostToDevice, streams[s]);
    if (s == 0) cudaEventRecord(copied, streams[0]);
    if (s == 1) cudaStreamWaitEvent(streams[1], copied, 0);
    twice<<<1, 64, 0, streams[s]>>>(to, kHalf);
    cudaMemcpyAsync(from, to, kHalf * sizeof(float), cudaMemcpyDeviceToHost, streams[s]);
    cudaLaunchHostFunc(streams[s], add_one, &calls);
  }
  while (cudaStreamQuery(streams[1]) == cudaErrorNotReady) {
  }
  cudaStreamSynchronize(streams[0]);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  cudaEventElapsedTime(&milliseconds, begin, end);
  int wrong = 0;
  for (int i = 0; i < 2 * kHalf; i++) wrong += pinned[i] != 2.0f * float(i);
  std::printf("%d wrong, %d calls, time %s\n", wrong, calls, milliseconds > 0 ? "passed" : "stood");

  float rows[3][5] = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {11, 12, 13, 14, 15}}, back[3][2];
  size_t pitch;
  char* wide;
  cudaMallocPitch(&wide, &pitch, 5 * sizeof(float), 3);
  cudaMemcpy2D(wide, pitch, rows, sizeof rows[0], 5 * sizeof(float), 3, cudaMemcpyHostToDevice);
  cudaMemcpy2D(back, sizeof back[0], wide + 4, pitch, 2 * sizeof(float), 3, cudaMemcpyDeviceToHost);
  std::printf("%g %g %g\n", back[0][0], back[1][1], back[2][1]);

  cudaDeviceProp properties;
  int blocks, warp;
  cudaGetDeviceProperties(&properties, 0);
  cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, twice, 256, 0);
  std::printf("%d.%d warps of %d, %d blocks\n", properties.major, properties.minor, warp, blocks);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  for (cudaEvent_t event : {begin, copied, end}) cudaEventDestroy(event);
  cudaFree(device);
  cudaFree(wide);
  cudaFreeHost(pinned);
  return cudaDeviceSynchronize();
}
