// The module norch_cpu_ops._cpu: the class Array, the dtypes, the engine's switches, the
// operations.
#include "bindings/dlpack.h"
#include "bindings/families.h"
#include "bindings/python.h"
#include "core/allocator.h"
#include "core/isa.h"
#include "core/thread_pool.h"

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

py::dict memory_stats_dict() {
  const MemoryStats stats = memory_stats();
  py::dict result;
  result["allocated_bytes"] = stats.allocated_bytes;
  result["peak_allocated_bytes"] = stats.peak_allocated_bytes;
  result["cached_bytes"] = stats.cached_bytes;
  result["cache_limit_bytes"] = stats.cache_limit_bytes;
  result["system_allocations"] = stats.system_allocations;
  result["cache_hits"] = stats.cache_hits;
  return result;
}

void bind_engine(py::module_& m) {
  m.def("set_num_threads", &set_num_threads, py::arg("n"),
        "Threads a long operation may use, the caller included.",
        py::call_guard<py::gil_scoped_release>());
  m.def("get_num_threads", &get_num_threads, "Threads a long operation may use.");
  m.def("memory_stats", &memory_stats_dict, kMemoryStatsDoc);
  m.def("empty_cache", &empty_cache, "Give the cached blocks back to the system.");
  m.def("set_cache_limit", &set_cache_limit, py::arg("bytes"),
        "The most bytes the allocator keeps for reuse.");
  m.def("from_dlpack", &from_dlpack, py::arg("exporter"),
        "The memory of any object with __dlpack__, shared.");
  m.def(
      "instruction_set", [] { return name_of(current_isa.load()); },
      "The instruction set of the kernels in use: baseline, avx2 or avx512.");
  m.def("set_instruction_set", &set_instruction_set, py::arg("name"),
        "Use the kernels of another instruction set; for tests and measurements.");
}

}  // namespace
}  // namespace norch

PYBIND11_MODULE(_cpu, m) {
  m.doc() = "The C++ half of norch_cpu_ops: Array, its dtypes and its operations.";
  pybind11::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const norch::Error&) {
      norch::set_python_error();
    }
  });
  norch::bind_dtypes(m);
  norch::bind_array_type(m);
  norch::bind_engine(m);
  for (const auto bind : norch::kFamilies) bind(m);
  norch::prepare_calls(m);
}
