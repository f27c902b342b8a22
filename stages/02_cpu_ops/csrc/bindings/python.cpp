// Numbers, shapes, dtypes and errors between Python and C++.
#include "bindings/python.h"

#include <algorithm>
#include <new>

#include "core/dtype_error.h"

namespace norch {

namespace {

PyObject* dtype_objects[kNumDTypes];
PyTypeObject* dtype_type;
PyObject* dtype_error;

struct PyDType {
  PyObject_HEAD DType dtype;
};

const DTypeInfo& info(PyObject* self) {
  return kDTypeInfo[static_cast<int>(reinterpret_cast<PyDType*>(self)->dtype)];
}

// The attribute of this module under which the dtype stands: `bool` would hide Python's own.
std::string global_name(DType t) { return t == DType::kBool ? "bool_" : name_of(t); }

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

PyObject* dtype_repr(PyObject* self) { return PyUnicode_FromFormat("norch.%s", info(self).name); }

PyType_Slot dtype_slots[] = {{Py_tp_repr, reinterpret_cast<void*>(&dtype_repr)},
                             {Py_tp_getset, dtype_properties},
                             {Py_tp_methods, dtype_methods},
                             {Py_tp_doc, const_cast<char*>("The type of an array's elements.")},
                             {0, nullptr}};

PyType_Spec dtype_spec = {"norch_cpu_ops._cpu.DType", sizeof(PyDType), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, dtype_slots};

// A whole number of any library as Python's own; null for anything else, such as an array of many.
py::object index_of(PyObject* item) {
  if (!PyIndex_Check(item)) return {};
  auto number = py::reinterpret_steal<py::object>(PyNumber_Index(item));
  if (!number) PyErr_Clear();
  return number;
}

int64_t integer_from(PyObject* item, const char* op, const char* what) {
  const auto number = PyBool_Check(item) ? py::object() : index_of(item);
  if (!number) {
    raise<TypeError>("[", op, "] ", what, " must be integers, got ", Py_TYPE(item)->tp_name);
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) raise<ShapeError>("[", op, "] ", what, " must fit 64 bits");
  return value;
}

}  // namespace

PyObject* dtype_object(DType dtype) { return dtype_objects[static_cast<int>(dtype)]; }

const DType* dtype_of(PyObject* object) {
  if (Py_TYPE(object) != dtype_type) return nullptr;
  return &reinterpret_cast<PyDType*>(object)->dtype;
}

void bind_dtypes(py::module_& m) {
  dtype_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&dtype_spec));
  if (dtype_type == nullptr) throw py::error_already_set();
  const py::tuple bases =
      py::make_tuple(py::handle(PyExc_TypeError), py::handle(PyExc_RuntimeError));
  dtype_error = PyErr_NewExceptionWithDoc("norch_cpu_ops.DTypeError",
                                          "Dtypes that do not go together, or have no kernel.",
                                          bases.ptr(), nullptr);
  if (dtype_error == nullptr) throw py::error_already_set();
  m.attr("DTypeError") = py::handle(dtype_error);
  m.attr("DType") = py::handle(reinterpret_cast<PyObject*>(dtype_type));
  for (int i = 0; i < kNumDTypes; ++i) {
    auto* object = PyObject_New(PyDType, dtype_type);
    if (object == nullptr) throw py::error_already_set();
    object->dtype = static_cast<DType>(i);
    dtype_objects[i] = reinterpret_cast<PyObject*>(object);
    m.attr(global_name(object->dtype).c_str()) = py::handle(dtype_objects[i]);
  }
  m.def("promote_types", &promote_types, "The type that holds both, by PyTorch's table.",
        py::arg("a"), py::arg("b"));
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const IndexError& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const DTypeError& e) {
    PyErr_SetString(dtype_error, e.what());
  } catch (const TypeError& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const ValueError& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const MemoryError& e) {
    PyErr_SetString(PyExc_MemoryError, e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

void place_options(const char* op, std::initializer_list<const char*> options,
                   PyObject* const* args, Py_ssize_t positional, PyObject* names,
                   PyObject** given) {
  const auto most = static_cast<Py_ssize_t>(options.size());
  if (positional > most) {
    raise<TypeError>("[", op, "] takes at most ", most, " arguments, got ", positional);
  }
  std::copy_n(args, positional, given);
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    const auto found = std::find_if(options.begin(), options.end(), [&](const char* option) {
      return PyUnicode_CompareWithASCIIString(name, option) == 0;
    });
    const Py_ssize_t place = found - options.begin();
    if (place == most || place < positional) {
      raise<TypeError>("[", op, "] the argument ", PyUnicode_AsUTF8(name),
                       place == most ? " is unknown" : " is given twice");
    }
    given[place] = args[positional + i];
  }
}

Dims dims_from(PyObject* object, const char* op, const char* what) {
  Dims dims;
  if (PyIndex_Check(object) && !PySequence_Check(object)) {
    dims.push(integer_from(object, op, what));
    return dims;
  }
  // A tuple of our own: an item's __index__ may change the list it came from.
  const auto items = py::reinterpret_steal<py::object>(PySequence_Tuple(object));
  if (!items) {
    PyErr_Clear();
    raise<TypeError>("[", op, "] ", what, " must be integers, got ", Py_TYPE(object)->tp_name);
  }
  const Py_ssize_t n = PyTuple_GET_SIZE(items.ptr());
  if (n > kMaxDims) {
    raise<ShapeError>("[", op, "] ", n, " dimensions, but an array has at most ", kMaxDims);
  }
  for (Py_ssize_t i = 0; i < n; ++i) {
    dims.push(integer_from(PyTuple_GET_ITEM(items.ptr(), i), op, what));
  }
  return dims;
}

PyObject* tuple_from(const int64_t* values, int n) {
  PyObject* tuple = PyTuple_New(n);
  if (tuple == nullptr) throw py::error_already_set();
  for (int i = 0; i < n; ++i) PyTuple_SET_ITEM(tuple, i, PyLong_FromLongLong(values[i]));
  return tuple;
}

namespace {

// Not an array of ours; an array of another device is a frequent mistake, told apart by its
// `device`.
[[noreturn]] void refuse_operand(const char* op, PyObject* object, const char* expected) {
  const py::object device = py::getattr(object, "device", py::none());
  const std::string name = py::isinstance<py::str>(device) ? py::cast<std::string>(device) : "cpu";
  if (name != "cpu") {
    raise<Error>("[", op, "] the arrays are on two devices, cpu and ", name,
                 ": move one of them, with ops.from_cpu or ops.to_cpu");
  }
  raise<TypeError>("[", op, "] expected ", expected, ", got ", Py_TYPE(object)->tp_name);
}

}  // namespace

Array& Operand::as_array(const char* op) const {
  if (array != nullptr) return *array;
  refuse_operand(op, object, "an Array");
}

void Operand::check(const char* op) const {
  if (array == nullptr && !is_number) refuse_operand(op, object, "an Array or a number");
}

namespace {

Operand number(PyObject* object, Scalar value) {
  Operand operand;
  operand.object = object;
  operand.scalar = value;
  operand.is_number = true;
  return operand;
}

}  // namespace

Operand operand_from(PyObject* object) {
  Operand operand;
  operand.object = object;
  if (is_array(object)) {
    operand.array = &unwrap(object);
    return operand;
  }
  if (PyFloat_Check(object)) return number(object, Scalar::of(PyFloat_AS_DOUBLE(object)));
  if (PyBool_Check(object)) return number(object, Scalar::of(object == Py_True));
  if (const py::object whole = index_of(object)) {  // int, and NumPy's integers
    return number(object, Scalar::of(integer_from(whole.ptr(), "number", "whole numbers")));
  }
  const PyNumberMethods* methods = Py_TYPE(object)->tp_as_number;
  if (methods != nullptr && methods->nb_float != nullptr && !PySequence_Check(object)) {
    const double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return number(object, Scalar::of(value));
  }
  return operand;
}

}  // namespace norch
