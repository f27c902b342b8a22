// The module norch_autograd._core: `form_of(text)` gives the form in C++ of a Python function or
// class and notes the text; `texts` are the files, with their SHA-256, that this build says again;
// `built_for` is the interpreter. types/core.py, the only reader, decides whether it is used.
#include "array.h"
#include "mode.h"
#include "pass.h"
#include "record.h"
#include "state.h"
#include "texts.h"  // written by CMake

#if defined(Py_GIL_DISABLED) || PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x03100000
#error "the core is written for CPython 3.11 to 3.15 with the GIL"
#endif

namespace norch {
// What the module of a function's text calls `name`; null, with an error, if it is not there.
Ref global_of(PyObject* function, const char* name) {
  PyObject* const globals = PyFunction_GetGlobals(function);
  PyObject* const found = globals == nullptr ? nullptr : PyDict_GetItemString(globals, name);
  if (found == nullptr && !PyErr_Occurred()) PyErr_Format(PyExc_NameError, "[core] no '%s'", name);
  return Ref::to(found);
}

namespace {
// A form of autograd's core (`wrap`, `record`, `run`) as CPython calls it: arguments in an array.
template <PyObject* (*function)(const Call&)>
PyObject* call_form(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return function({args, count, names});
}

// A form of the core as an entry in Python's table of methods: what `form_of` hands to autograd.
template <PyObject* (*function)(const Call&)>
constexpr PyMethodDef method(const char* name, const char* doc) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_form<function>)),
          METH_FASTCALL | METH_KEYWORDS, doc};
}

// A form: its text, whether it is a function or a class, and what it reads of the text's module.
struct Form {
  Text& text;
  PyMethodDef method;
  PyTypeObject** cls = nullptr;
  bool (*read)() = nullptr;
};

Form forms[] = {
    {mode_text, {}, &mode_class, &read_mode_text},
    {tensor_text, {}, &tensor_state},
    {node_text, {}, &node_state, &read_node_text},
    {shape_text, method<&shape>("shape", "The sizes of a tensor's dimensions."), nullptr,
     &read_shape_text},
    {dtype_text, method<&dtype>("dtype", "The type of a tensor's elements.")},
    {device_text, method<&device>("device", "The device that a tensor lives on."), nullptr,
     &read_device_text},
    {set_tensor_class_text,
     method<&set_tensor_class>("set_tensor_class", "Say which class results have.")},
    {wrap_text, method<&wrap>("wrap", "A `Tensor` around an array that exists already.")},
    {plain_text, method<&plain>("plain", "The result of an operation that has no derivative.")},
    {edge_of_text, method<&edge_of>("edge_of", "Where the gradient of a tensor goes.")},
    {attach_node_text, method<&attach_node>("attach_node", "A result and its node.")},
    {track_view_text, method<&track_view>("track_view", "Note whose storage a view shows."),
     nullptr, &read_track_view_text},
    {keep_text, method<&keep>("keep", "Note down values for backward."), nullptr, &read_keep_text},
    {unary_text, method<&unary>("unary", "Wrap the result of a function of one tensor.")},
    {record_text, method<&record>("record", "Wrap the result of a function of many tensors.")},
    {binary_text, method<&binary>("binary", "Wrap the result of a function of two tensors.")},
    {binary_with_number_text,
     method<&binary_with_number>("binary_with_number",
                                 "Wrap the result of a function of a tensor and a number.")},
    {run_text, method<&run>("run", "Carry gradients back from roots."), nullptr, &read_run_text},
};

// The form in C++ of a Python function or class, which gives it its text.
PyObject* form_of(PyObject*, PyObject* text) {
  const Ref name(PyObject_GetAttrString(text, "__name__"));
  if (!name) return nullptr;
  for (Form& form : forms) {
    if (PyUnicode_CompareWithASCIIString(name.get(), form.text.name()) != 0) continue;
    form.text.set(text);
    if (form.read != nullptr && !form.read()) return nullptr;
    if (form.cls != nullptr) return Py_NewRef(reinterpret_cast<PyObject*>(*form.cls));
    return PyCFunction_NewEx(&form.method, nullptr, nullptr);
  }
  PyErr_Format(PyExc_KeyError, "[core] nothing here stands for %R", name.get());
  return nullptr;
}

PyMethodDef functions[] = {
    {"form_of", &form_of, METH_O, "The form in C++ of a Python function or class."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "norch_autograd._core",
                          "State, record and ordinary backward pass of stage 4, in C++.",
                          -1,  // one to a process: its state is in C++ variables
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

// Whether this Python is the one that the core was built for; false with an ImportError.
bool is_known_interpreter() {
  if (Py_Version >> 16 != PY_VERSION_HEX >> 16) {
    PyErr_Format(PyExc_ImportError, "built for CPython %d.%d, this is %d.%d", PY_MAJOR_VERSION,
                 PY_MINOR_VERSION, static_cast<int>(Py_Version >> 24),
                 static_cast<int>(Py_Version >> 16 & 0xff));
    return false;
  }
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) return true;
  PyErr_SetString(PyExc_ImportError, "the core runs in the main interpreter alone");
  return false;
}

// A dict: each file that the build says again, and its SHA-256.
Ref texts() {
  Ref found(PyDict_New());
  for (const auto& [file, hash] : kTexts) {
    const Ref value(found ? PyUnicode_FromString(hash) : nullptr);
    if (!value || PyDict_SetItemString(found.get(), file, value.get()) < 0) return Ref();
  }
  return found;
}
}  // namespace
}  // namespace norch

PyMODINIT_FUNC PyInit__core() {
  using namespace norch;
  if (!is_known_interpreter() || !find_arrays() || !make_mode_class() || !make_tensor_state() ||
      !make_node_state())
    return nullptr;
  Ref module(PyModule_Create(&definition));
  const Ref known = module ? texts() : Ref();
  if (!known || PyModule_AddObjectRef(module.get(), "texts", known.get()) < 0 ||
      PyModule_AddStringConstant(module.get(), "built_for", NORCH_BUILT_FOR) < 0)
    return nullptr;
  return module.release();
}
