// The table of array_api.h: what other C++ modules (stage 4's core) may ask of an array without a
// call through Python.
#include "bindings/capsule.h"

#include "bindings/array_api.h"

namespace norch {
namespace {

int alike(PyObject* a, PyObject* b) {
  const Array &x = unwrap(a), &y = unwrap(b);
  return x.dtype == y.dtype && x.same_shape(y);
}

long long version_of(PyObject* array) { return unwrap(array).storage->version(); }

int owns_storage(PyObject* array) {
  const Array& a = unwrap(array);
  const bool whole = a.contiguous && a.nbytes() == static_cast<int64_t>(a.storage->nbytes());
  return whole && a.storage->is_sole();
}

NorchArrayApi api = {NORCH_ARRAY_API_VERSION, nullptr, &alike, &version_of, &owns_storage};

}  // namespace

void add_array_api(PyObject* module) {
  api.type = array_type;
  PyObject* const capsule = PyCapsule_New(&api, NORCH_ARRAY_API_NAME, nullptr);
  const int failed = PyModule_AddObjectRef(module, "_array_api", capsule);
  Py_XDECREF(capsule);
  if (failed) throw PythonError();
}

}  // namespace norch
