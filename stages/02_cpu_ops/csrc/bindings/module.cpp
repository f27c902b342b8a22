// The module norch_cpu_ops._cpu: the class Array, the dtypes, the engine's switches, the
// operations. pybind11 makes the module, the exception and its attributes.
#include <pybind11/pybind11.h>

#include "bindings/array_api.h"
#include "bindings/exchange.h"
#include "bindings/families.h"
#include "core/allocator.h"
#include "core/array.h"
#include "core/isa.h"
#include "core/thread_pool.h"

namespace py = pybind11;

namespace norch {
namespace {
constexpr const char* kMemoryStatsDoc = R"(What the caching allocator holds.

allocated_bytes: in arrays that live now, rounded up to size classes
peak_allocated_bytes: the most that ever was
cached_bytes: freed and kept for the next array of that size class
cache_limit_bytes: beyond it a freed block goes back to the system (set_cache_limit)
system_allocations: how often the system was asked for memory
cache_hits: how often it did not have to be
)";

// The binding that Python calls as memory_stats: the allocator's counts, as a dict.
Counts memory_counts() {
  const MemoryStats stats = memory_stats();
  const auto count = [](auto value) { return static_cast<int64_t>(value); };
  return {{"allocated_bytes", count(stats.allocated_bytes)},
          {"peak_allocated_bytes", count(stats.peak_allocated_bytes)},
          {"cached_bytes", count(stats.cached_bytes)},
          {"cache_limit_bytes", count(stats.cache_limit_bytes)},
          {"system_allocations", count(stats.system_allocations)},
          {"cache_hits", count(stats.cache_hits)}};
}

// The binding that Python calls as set_num_threads; it waits for threads at work.
void limit_threads(int n) {
  const WithoutGil released;
  set_num_threads(n);
}

// The binding that Python calls as run_compiled: a function that was compiled at run time, by its
// address, may use the pool like our own.
void run_compiled(uint64_t function, uint64_t context, int64_t n, int64_t grain) {
  const auto compiled = reinterpret_cast<ChunkFn>(function);
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    compiled(reinterpret_cast<void*>(context), begin, end);
  });
}

// The binding that Python calls as instruction_set: the name of the one in use.
const char* instruction_set() { return name_of(current_isa.load()); }

// Makes the dtypes and DTypeError attributes of the Python module.
void add_dtypes(py::module_& m) {
  m.attr("DType") = py::handle(reinterpret_cast<PyObject*>(make_dtype_type()));
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    m.attr(global_name(dtype).c_str()) = py::handle(dtype_object(dtype));
  }
  const py::tuple bases =
      py::make_tuple(py::handle(PyExc_TypeError), py::handle(PyExc_NotImplementedError));
  dtype_error = PyErr_NewExceptionWithDoc("norch_cpu_ops.DTypeError",
                                          "Dtypes that do not go together, or have no kernel.",
                                          bases.ptr(), nullptr);
  if (dtype_error == nullptr) throw PythonError();
  m.attr("DTypeError") = py::handle(dtype_error);
}

// The table of array_api.h: what other C++ modules (stage 4's core) may ask of an array without a
// call through Python.
int alike(PyObject* a, PyObject* b) {
  const Array &x = unwrap(a), &y = unwrap(b);
  return x.dtype == y.dtype && x.same_shape(y);
}

// For other modules: how often an array's storage was written in place.
long long version_of(PyObject* array) { return unwrap(array).storage->version(); }

// For other modules: whether an array is the only view of all its storage.
int owns_storage_of(PyObject* array) { return owns_storage(unwrap(array)); }

int sizes_of(PyObject* array, const int64_t** at) {
  *at = &unwrap(array).shape[0];
  return unwrap(array).ndim;
}

NorchArrayApi api = {NORCH_ARRAY_API_VERSION, nullptr,  &alike, &version_of,
                     &owns_storage_of,        &sizes_of};

// The module's attribute `_array_api`, once the class Array is made: a capsule with that table.
void add_array_api(PyObject* module) {
  api.type = array_type;
  PyObject* const capsule = PyCapsule_New(&api, NORCH_ARRAY_API_NAME, nullptr);
  const int failed = PyModule_AddObjectRef(module, "_array_api", capsule);
  Py_XDECREF(capsule);
  if (failed) throw PythonError();
}
}  // namespace

// The bindings that are no operation (threads, memory, instruction sets, from_dlpack), as rows that
// become Python functions.
Table engine_table() {
  static const Operation rows[] = {
      {"promote_types(a, b)", &promote_types, "The type that holds both, by PyTorch's table."},
      {"set_num_threads(n)", &limit_threads,
       "Threads a long operation may use, the caller included."},
      {"get_num_threads()", &get_num_threads, "Threads a long operation may use."},
      {"run_compiled(function, context, n, grain)", &run_compiled,
       "Call the C function at an address, f(context, begin, end), until 0..n is covered.", kLong},
      {"memory_stats()", &memory_counts, kMemoryStatsDoc},
      {"empty_cache()", &empty_cache, "Give the cached blocks back to the system."},
      {"set_cache_limit(bytes)", &set_cache_limit, "The most bytes the allocator keeps for reuse."},
      {"from_dlpack(exporter)", &from_dlpack, "The memory of any object with __dlpack__, shared."},
      {"instruction_set()", &instruction_set,
       "The instruction set of the kernels in use: baseline, avx2 or avx512."},
      {"instruction_sets()", &available_isas,
       "The instruction sets that this build has and this machine can run, the simplest first."},
      {"set_instruction_set(name)", &set_instruction_set,
       "Use the kernels of another instruction set; for tests and measurements."},
  };
  return rows;
}
}  // namespace norch

PYBIND11_MODULE(_cpu, m) {
  m.doc() = "The C++ half of norch_cpu_ops: Array, its dtypes and its operations.";
  if (norch::available_isas().empty()) {
    throw py::import_error("[norch_cpu_ops] built for another machine: its kernels are for " +
                           norch::built_isas() + ", which this processor cannot run. Build it " +
                           "here (make clean, then make setup), or install a wheel, which has " +
                           "the kernels of every machine");
  }
  try {
    norch::add_dtypes(m);
    m.attr("Array") = py::handle(reinterpret_cast<PyObject*>(norch::make_array_type()));
    norch::add_array_api(m.ptr());
    for (const auto table : norch::kFamilies) {
      const norch::Table rows = table();
      for (size_t i = 0; i < rows.count; ++i) norch::add_function(m.ptr(), rows.rows[i]);
    }
  } catch (const norch::PythonError&) {
    throw py::error_already_set();
  }
}
