// The fake GPU's driver API, as CuPy's driver module finds it: contexts, modules, kernels.
//
// A kernel runs in norch's simulator: fake_gpu.py, which calls `norch_fake_gpu_connect`, finds the
// build of the text that an image was made of.
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <string>

#include "fake_gpu.h"

using namespace fake;

// A kernel as fake_gpu.py describes it: its ctypes mirror is there. The simulator's structs come as
// bytes, so that only Python knows their fields.
struct FakeKernel {
  int (*launcher)(const void* library, int kernel, void** arguments, const void* options,
                  void* report);
  const void* library;
  int index;
  int flush;  // -ftz=true: denormal floats are zero
  int num_parameters;
  int sizes[64];                     // bytes of each parameter
  char is_pointer[64];               // whether it is an address in device memory
  char options[256];                 // what a launch is asked with
  int grid_at, block_at, shared_at;  // where in it these three lie
  int report_bytes;                  // how large the answer is; it begins with a message
};
// Called with the image that was loaded: a number for it, 0 if it is of no known source.
using OnLoad = int (*)(const void* image);
// Called for a function of an image: CUDA_SUCCESS, or why not.
using OnFunction = int (*)(int image, const char* name, FakeKernel* kernel);
// Called for a variable of an image: CUDA_SUCCESS, or why not.
using OnVariable = int (*)(int image, const char* name, void** start, size_t* nbytes);

namespace {

OnLoad on_load;
OnFunction on_function;
OnVariable on_variable;

struct Module {
  int device, image;
  std::vector<char> bytes;
};
struct Function {
  int device;
  std::string name;
  FakeKernel kernel;
  int dynamic_limit = kSharedDefault;
};

// ---- kernels ----------------------------------------------------------------------------------

struct Launch {
  const Function* function;
  char options[sizeof FakeKernel::options];
  std::vector<std::vector<char>> values;  // copies: the caller's may be gone when it runs
};

// While one of these lives, arithmetic of this thread takes denormal floats for zero, if asked to.
struct Flushing {
#if defined(__x86_64__)
  unsigned before = _mm_getcsr();
  explicit Flushing(bool flush) { _mm_setcsr(flush ? before | 0x8040 : before); }
  ~Flushing() { _mm_setcsr(before); }
#else
  explicit Flushing(bool) {}
#endif
};

cudaError_t run_kernel(const Launch& launch) {
  const Function& f = *launch.function;
  std::vector<void*> arguments;
  for (size_t i = 0; i < launch.values.size(); i++) {
    void* value = const_cast<char*>(launch.values[i].data());
    arguments.push_back(value);
    if (!f.kernel.is_pointer[i]) continue;
    void* pointer = *static_cast<void**>(value);
    const Allocation* a = find(pointer, 0);
    if (pointer == nullptr || (a && reachable(*a, f.device))) continue;
    say("%s: argument %zu, %p, is no memory of GPU %d", f.name.c_str(), i + 1, pointer, f.device);
    return cudaErrorIllegalAddress;
  }
  Access access;
  Flushing flushing(f.kernel.flush);
  std::vector<char> report(f.kernel.report_bytes);
  if (!f.kernel.launcher(f.kernel.library, f.kernel.index, arguments.data(), launch.options,
                         report.data()))
    return cudaSuccess;
  say("%s: %s", f.name.c_str(), report.data());
  return cudaErrorLaunchFailure;
}

bool fits(const unsigned (&grid)[3], const unsigned (&block)[3]) {
  uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
  return threads >= 1 && threads <= 1024 && block[2] <= 64 && grid[0] >= 1 && grid[1] >= 1 &&
         grid[2] >= 1 && grid[0] <= 0x7fffffffu && grid[1] <= 65535 && grid[2] <= 65535;
}

}  // namespace

// ---- for fake_gpu.py ----------------------------------------------------------------------------

API void norch_fake_gpu_connect(OnLoad load, OnFunction function, OnVariable variable) {
  on_load = load;
  on_function = function;
  on_variable = variable;
}
// Where the fake cuBLAS does its work: after what the stream has queued, with memory open.
API int norch_fake_gpu_run(void* stream, void (*work)(void*), void* state, void (*drop)(void*)) {
  ENTER();
  Stream* s = stream_of(static_cast<cudaStream_t>(stream));
  if (!s) return cudaErrorInvalidResourceHandle;
  std::shared_ptr<void> kept(state, drop);
  return queue(s, [=] {
    Access access;
    work(kept.get());
    return cudaSuccess;
  });
}

// ---- the driver API, as CuPy's driver module finds it -------------------------------------------

namespace {
CUresult as_driver(cudaError_t error) { return static_cast<CUresult>(error); }
}  // namespace

API CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
API CUresult cuDriverGetVersion(int* version) {
  *version = kDriverVersion;
  return CUDA_SUCCESS;
}
API CUresult cuDeviceGetCount(int* count) {
  *count = kDevices;
  return CUDA_SUCCESS;
}
// NVRTC and NVIDIA's own runtime ask for private tables by number. This driver has none and says
// so: NVRTC goes on without; NVIDIA's runtime does not, and is therefore not used (see README.md).
API CUresult cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
API CUresult cuGetErrorName(CUresult error, const char** text) {
  *text = named(error).driver;
  return CUDA_SUCCESS;
}
API CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = named(error).text;
  return CUDA_SUCCESS;
}
API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
API CUresult cuCtxGetCurrent(CUcontext* context) {
  Locked locked;
  *context = bound ? reinterpret_cast<CUcontext>(&device(current)) : nullptr;
  return CUDA_SUCCESS;
}
API CUresult cuCtxSetCurrent(CUcontext context) {
  Locked locked;
  bound = context != nullptr;
  if (int index = number_of(context); index >= 0) current = index;
  return CUDA_SUCCESS;
}
API CUresult cuCtxGetDevice(CUdevice* index) {
  *index = current;
  return bound ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
API CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  Locked locked;
  Stream* stream = stream_of(handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  *context = reinterpret_cast<CUcontext>(&device(stream->device));
  return CUDA_SUCCESS;
}

// Every driver function that works in a context says so if the thread has none.
#define CONTEXT(what)                                                                \
  if (!bound) {                                                                      \
    say(what ": this thread has no current context (no runtime call has made one)"); \
    return CUDA_ERROR_INVALID_CONTEXT;                                               \
  }

API CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  CONTEXT("cuModuleLoadData");
  int number = on_load ? on_load(image) : 0;  // without the lock: it runs Python
  if (number == 0) {
    say("a module was loaded that is none of norch's kernels");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  *module = reinterpret_cast<CUmodule>(new Module{current, number, {}});
  return CUDA_SUCCESS;
}
API CUresult cuModuleUnload(CUmodule module) {
  delete reinterpret_cast<Module*>(module);
  return CUDA_SUCCESS;
}
API CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  CONTEXT("cuModuleGetFunction");
  auto* module = reinterpret_cast<Module*>(handle);
  auto made = std::make_unique<Function>(Function{module->device, name, {}});
  int error = on_function(module->image, name, &made->kernel);
  if (error != 0) return static_cast<CUresult>(error);
  *function = reinterpret_cast<CUfunction>(made.release());
  return CUDA_SUCCESS;
}
// A variable lies in the simulator's library, in memory of the host: one for all GPUs.
API CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* nbytes, CUmodule handle,
                               const char* name) {
  CONTEXT("cuModuleGetGlobal");
  void* start = nullptr;
  size_t size = 0;
  int error = on_variable(reinterpret_cast<Module*>(handle)->image, name, &start, &size);
  if (error != 0) return static_cast<CUresult>(error);
  Locked locked;
  adopt(start, size);
  if (address) *address = reinterpret_cast<CUdeviceptr>(start);
  if (nbytes) *nbytes = size;
  return CUDA_SUCCESS;
}
API CUresult cuLaunchKernel(CUfunction handle, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                            unsigned by, unsigned bz, unsigned shared, CUstream stream_handle,
                            void** parameters, void** extra) {
  CONTEXT("cuLaunchKernel");
  Locked locked;
  auto* function = reinterpret_cast<Function*>(handle);
  if (device(current).broken != cudaSuccess) return as_driver(device(current).broken);
  Stream* stream = stream_of(stream_handle);
  if (!function || !stream) return CUDA_ERROR_INVALID_HANDLE;
  if (function->device != current || stream->device != current) {
    say("%s of GPU %d was launched in a stream of GPU %d while GPU %d is current",
        function->name.c_str(), function->device, stream->device, current);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  const FakeKernel& kernel = function->kernel;
  const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
  const uint64_t shared_bytes = shared;
  if (!fits(grid, block) || extra || int(shared) > function->dynamic_limit) {
    say("%s: grid (%u, %u, %u), block (%u, %u, %u), %u bytes of dynamic shared memory (limit %d)",
        function->name.c_str(), gx, gy, gz, bx, by, bz, shared, function->dynamic_limit);
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto launch = std::make_shared<Launch>();
  launch->function = function;
  memcpy(launch->options, kernel.options, sizeof kernel.options);
  memcpy(launch->options + kernel.grid_at, grid, sizeof grid);
  memcpy(launch->options + kernel.block_at, block, sizeof block);
  memcpy(launch->options + kernel.shared_at, &shared_bytes, sizeof shared_bytes);
  for (int i = 0; i < kernel.num_parameters; i++) {
    auto* value = static_cast<char*>(parameters[i]);
    launch->values.emplace_back(value, value + kernel.sizes[i]);
  }
  return as_driver(queue(stream, [launch] { return run_kernel(*launch); }));
}
API CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute which, int value) {
  auto* function = reinterpret_cast<Function*>(handle);
  if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
  if (value < 0 || value > kSharedOptIn) return CUDA_ERROR_INVALID_VALUE;
  function->dynamic_limit = value;
  return CUDA_SUCCESS;
}
API CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction handle) {
  auto* function = reinterpret_cast<Function*>(handle);
  *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
  if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) *value = function->dynamic_limit;
  return CUDA_SUCCESS;
}
