// Opening OpenBLAS and calling its two products; the promise is in core/blas.h.
#include "core/blas.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <climits>
#include <mutex>

namespace norch {
namespace blas {
namespace {
template <class T>
using Gemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a,
                      int lda, const T* b, int ldb, T beta, T* c, int ldc);

constexpr int kRowMajor = 101, kNoTrans = 111, kTrans = 112;  // cblas.h

struct Library {
  std::mutex mutex;
  std::string path;
  bool tried = false;
  std::atomic<bool> loaded{false};
  std::atomic<bool> enabled{true};
  Gemm<float> sgemm = nullptr;
  Gemm<double> dgemm = nullptr;
  const char* (*config)() = nullptr;
  void* handle = nullptr;
};

// The lock is held across fork: a child must not find it with a thread that it does not have, which
// was opening the library.
Library& library() {
  static Library* const instance = [] {
    static Library lib;
    pthread_atfork([] { lib.mutex.lock(); }, [] { lib.mutex.unlock(); },
                   [] { lib.mutex.unlock(); });
    return &lib;
  }();
  return *instance;
}

// Looks a function up in the open library.
template <class Function>
bool find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

// The library stays open until the process ends: its threads may outlive any moment we could pick.
void open_once(Library& lib) {
  std::lock_guard<std::mutex> lock(lib.mutex);
  if (lib.tried || lib.path.empty()) return;  // no path yet is no attempt: it may still come
  lib.tried = true;
  void* handle = dlopen(lib.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return;
  void (*set_num_threads)(int) = nullptr;
  if (!find(handle, "scipy_cblas_sgemm", lib.sgemm)) return;
  if (!find(handle, "scipy_cblas_dgemm", lib.dgemm)) return;
  if (!find(handle, "scipy_openblas_get_config", lib.config)) return;
  if (!find(handle, "scipy_openblas_set_num_threads", set_num_threads)) return;
  set_num_threads(1);
  lib.handle = handle;
  lib.loaded.store(true, std::memory_order_release);
}

// The library's product for floats of type T.
template <class T>
Gemm<T> entry();
template <>
Gemm<float> entry<float>() {
  return library().sgemm;
}
template <>
Gemm<double> entry<double>() {
  return library().dgemm;
}

// BLAS's leading dimension. A line of length 1 may carry any stride: it gets a legal one.
template <class T>
int leading(const MatrixView<T>& a) {
  const int64_t stride = a.col_stride == 1 ? a.row_stride : a.col_stride;
  const int64_t line = a.col_stride == 1 ? a.cols : a.rows;
  return int(stride > line ? stride : line);
}
}  // namespace

void set_library(const std::string& path) {
  std::lock_guard<std::mutex> lock(library().mutex);
  library().path = path;
}

void set_enabled(bool on) { library().enabled = on; }
bool is_enabled() { return library().enabled; }

bool is_ready() {
  Library& lib = library();
  if (!lib.enabled.load(std::memory_order_relaxed)) return false;
  if (!lib.loaded.load(std::memory_order_acquire)) open_once(lib);
  return lib.loaded.load(std::memory_order_acquire);
}

std::string description() { return is_ready() ? library().config() : "norch"; }

void* routine(const std::string& name) {
  return is_ready() ? dlsym(library().handle, ("scipy_" + name).c_str()) : nullptr;
}

template <class T>
bool accepts(const MatrixView<T>& a) {
  if (a.rows > INT_MAX || a.cols > INT_MAX) return false;
  const auto fits = [](int64_t stride, int64_t line, int64_t lines) {
    return lines <= 1 || (stride >= line && stride <= INT_MAX);
  };
  if (a.col_stride == 1) return fits(a.row_stride, a.cols, a.rows);
  return a.row_stride == 1 && fits(a.col_stride, a.rows, a.cols);
}

template <class T>
void gemm(const MatrixView<T>& a, const MatrixView<T>& b, T* c, int64_t ldc, bool accumulate) {
  entry<T>()(kRowMajor, a.col_stride == 1 ? kNoTrans : kTrans,
             b.col_stride == 1 ? kNoTrans : kTrans, int(a.rows), int(b.cols), int(a.cols), T(1),
             a.data, leading(a), b.data, leading(b), T(accumulate), c, int(ldc));
}

template bool accepts<float>(const MatrixView<float>&);
template bool accepts<double>(const MatrixView<double>&);
template void gemm<float>(const MatrixView<float>&, const MatrixView<float>&, float*, int64_t,
                          bool);
template void gemm<double>(const MatrixView<double>&, const MatrixView<double>&, double*, int64_t,
                           bool);
}  // namespace blas
}  // namespace norch
