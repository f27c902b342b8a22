#include "array.h"

#include "array_api.h"

namespace norch {
namespace {
const NorchArrayApi* api = nullptr;
PyObject *alike_name, *version_name, *fills_storage_name;
PyObject*
    holder_names[3];  // of stage 3: an array holds a storage, that a memory, and that its owner
}  // namespace

// At import: stage 2's table of functions; false, with an ImportError, if its version is another.
bool find_arrays() {
  alike_name = PyUnicode_InternFromString("alike");
  version_name = PyUnicode_InternFromString("version");
  fills_storage_name = PyUnicode_InternFromString("fills_storage");
  holder_names[0] = PyUnicode_InternFromString("storage");
  holder_names[1] = PyUnicode_InternFromString("memory");
  holder_names[2] = PyUnicode_InternFromString("owner");
  for (PyObject* name : {alike_name, version_name, fills_storage_name, holder_names[0],
                         holder_names[1], holder_names[2]}) {
    if (name == nullptr) return false;
  }
  const Ref module(PyImport_ImportModule("norch_cpu_ops._cpu"));
  if (!module) return false;
  const Ref capsule(PyObject_GetAttrString(module.get(), "_array_api"));
  void* found = capsule ? PyCapsule_GetPointer(capsule.get(), NORCH_ARRAY_API_NAME) : nullptr;
  if (found == nullptr) {
    PyErr_SetString(PyExc_ImportError, "stage 2 hands out no _array_api: build it anew");
    return false;
  }
  api = static_cast<const NorchArrayApi*>(found);
  if (api->version == NORCH_ARRAY_API_VERSION) return true;
  PyErr_Format(PyExc_ImportError, "stage 2's _array_api is version %d, this core knows %d",
               api->version, NORCH_ARRAY_API_VERSION);
  return false;
}

// Whether an object is an array of stage 2.
bool is_cpu_array(PyObject* object) { return Py_TYPE(object) == api->type; }

// How many dimensions an array of stage 2 has, and where their sizes are.
int sizes_of(PyObject* cpu_array, const int64_t** at) { return api->sizes(cpu_array, at); }

// Whether two arrays have the same shape and dtype: 1 or 0; -1 with an error.
int alike(PyObject* a, PyObject* b) {
  if (is_cpu_array(a) && is_cpu_array(b)) return api->alike(a, b);
  const Ref answer(PyObject_CallMethodOneArg(a, alike_name, b));
  return answer ? PyObject_IsTrue(answer.get()) : -1;
}

// How often the memory of an array was edited in place, as a Python int.
Ref version_of(PyObject* array) {
  if (is_cpu_array(array)) return Ref(PyLong_FromLongLong(api->version_of(array)));
  return Ref(PyObject_GetAttr(array, version_name));
}

// Whether a kept version, a Python int, is still the array's: 1 or 0; -1 with an error.
int is_version(PyObject* array, PyObject* version) {
  if (is_cpu_array(array) && PyLong_CheckExact(version)) {
    int overflow = 0;
    const long long kept = PyLong_AsLongLongAndOverflow(version, &overflow);
    return overflow == 0 && api->version_of(array) == kept;
  }
  const Ref now(PyObject_GetAttr(array, version_name));
  return now ? PyObject_RichCompareBool(now.get(), version, Py_EQ) : -1;
}

// Whether nobody but the caller, who owns one reference, can reach what an array holds: it shows
// all of a storage that no other array views, and its count is 1. Such a count says the truth here
// alone: a frame of Python 3.14 borrows what its names hold, so in Python 1 may mean one more name.
// 1 or 0; -1 with an error.
int is_unshared(PyObject* array) {
  if (Py_REFCNT(array) != 1) return 0;
  if (is_cpu_array(array)) return api->owns_storage(array);
  const Ref whole(PyObject_GetAttr(array, fills_storage_name));
  int answer = whole ? PyObject_IsTrue(whole.get()) : -1;
  Ref held = Ref::to(array);
  for (PyObject* name : holder_names) {
    if (answer <= 0) break;
    held = Ref(PyObject_GetAttr(held.get(), name));
    answer = held ? Py_REFCNT(held.get()) == 2 : -1;  // the holder before it, and `held`
  }
  return answer;
}
}  // namespace norch
