// One fault of host code for each name: host_faults name. The line of a fault ends with its name.
#include <cstdio>
#include <cstring>

__global__ void count_up(int* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = i;
}

int main(int, char** argv) {
  int *device, *managed, host[32] = {};
  auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  cudaMalloc(&device, sizeof host);
  cudaMallocManaged(&managed, sizeof host);                                  // leak
  if (is("block")) count_up<<<1, 2048>>>(device, 32);                        // block
  if (is("shared")) count_up<<<1, 32, 100000>>>(device, 32);                 // shared
  if (is("reads")) std::printf("%d\n", device[3]);                           // reads
  if (is("direction")) cudaMemcpy(host, device, 4, cudaMemcpyHostToDevice);  // direction
  if (is("bytes")) cudaMemcpy(host, device, 999, cudaMemcpyDeviceToHost);    // bytes
  if (is("inside")) cudaFree(device + 1);                                    // inside
  if (is("leak")) managed = nullptr;
  if (is("wait")) {
    count_up<<<1, 32>>>(managed, 32);
    std::printf("%d\n", managed[5]);  // wait
    cudaDeviceSynchronize();
    std::printf("%d\n", managed[5]);
  }
  if (is("end")) count_up<<<1, 32>>>(device, 32);  // end
  if (is("seen")) {
    count_up<<<0, 32>>>(device, 32);
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  }
  if (is("end")) return 0;
  cudaFree(managed);
  cudaFree(device);
  if (is("twice")) cudaFree(device);  // twice
  if (is("freed")) device[3] = 1;     // freed
}
