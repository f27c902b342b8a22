// The Python class DType: one object for each type of elements.
#include "bindings/python.h"

namespace norch {
// The name of a dtype among the module's attributes.
std::string global_name(DType t) { return t == DType::kBool ? "bool_" : name_of(t); }

namespace {
PyObject* dtype_objects[kNumDTypes];
PyTypeObject* dtype_type;

struct PyDType {
  PyObject_HEAD DType dtype;
};

// What is known of the dtype inside a Python DType.
const DTypeInfo& info(PyObject* self) {
  return kDTypeInfo[static_cast<int>(reinterpret_cast<PyDType*>(self)->dtype)];
}

PyGetSetDef dtype_properties[] = {
    {"name", [](PyObject* self, void*) { return PyUnicode_FromString(info(self).name); }, nullptr,
     "The name as printed, such as 'float32'.", nullptr},
    {"itemsize", [](PyObject* self, void*) { return PyLong_FromLong(info(self).itemsize); },
     nullptr, "Bytes of one element.", nullptr},
    {"is_floating_point",
     [](PyObject* self, void*) {
       return PyBool_FromLong(is_floating(reinterpret_cast<PyDType*>(self)->dtype));
     },
     nullptr, "True for float16, bfloat16, float32 and float64.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// Pickled and copied by name, so that there is only ever one object per dtype.
PyObject* dtype_reduce(PyObject* self, PyObject*) {
  return PyUnicode_FromString(global_name(reinterpret_cast<PyDType*>(self)->dtype).c_str());
}

PyMethodDef dtype_methods[] = {{"__reduce__", &dtype_reduce, METH_NOARGS, "Pickle by name."},
                               {nullptr, nullptr, 0, nullptr}};

// What Python prints of a DType.
PyObject* dtype_repr(PyObject* self) { return PyUnicode_FromFormat("norch.%s", info(self).name); }

PyType_Slot dtype_slots[] = {{Py_tp_repr, reinterpret_cast<void*>(&dtype_repr)},
                             {Py_tp_getset, dtype_properties},
                             {Py_tp_methods, dtype_methods},
                             {Py_tp_doc, const_cast<char*>("The type of an array's elements.")},
                             {0, nullptr}};

PyType_Spec dtype_spec = {"norch_cpu_ops._cpu.DType", sizeof(PyDType), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, dtype_slots};
}  // namespace

// The Python object of a dtype.
PyObject* dtype_object(DType dtype) { return dtype_objects[static_cast<int>(dtype)]; }

// The dtype inside a Python object, null when it is no DType.
const DType* dtype_of(PyObject* object) {
  if (Py_TYPE(object) != dtype_type) return nullptr;
  return &reinterpret_cast<PyDType*>(object)->dtype;
}

// Makes the Python class DType and its objects, when the module is imported.
PyTypeObject* make_dtype_type() {
  dtype_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&dtype_spec)).release());
  for (int i = 0; i < kNumDTypes; ++i) {
    auto* object = PyObject_New(PyDType, dtype_type);
    if (object == nullptr) throw PythonError();
    object->dtype = static_cast<DType>(i);
    dtype_objects[i] = reinterpret_cast<PyObject*>(object);
  }
  return dtype_type;
}
}  // namespace norch
