// How a call from Python enters an operation. pybind11's dispatcher tells a call that fits no
// signature by listing signatures; here it is called first, and only when it fails is the error
// told again as "[max] expected max(a: Array, dim: int), got (Array, str)". Shortcuts pass it by.
#include <unordered_map>

#include "bindings/python.h"

namespace norch {
namespace {

#if PY_VERSION_HEX >= 0x030d0000
using FastCall = PyCFunctionFastWithKeywords;
#else
using FastCall = _PyCFunctionFastWithKeywords;
#endif

FastCall dispatch;  // pybind11's, the same for all its functions
std::unordered_map<std::string, Call> shortcuts;

// "Array, str, dim=int": the types of what was passed.
std::string types_of(PyObject* const* args, Py_ssize_t positional, PyObject* names) {
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  std::string text;
  for (Py_ssize_t i = 0; i < positional + named; ++i) {
    if (i > 0) text += ", ";
    if (i >= positional) {
      text += py::cast<std::string>(PyTuple_GET_ITEM(names, i - positional)) + "=";
    }
    const std::string type = Py_TYPE(args[i])->tp_name;  // may open with its module
    text += type.substr(type.rfind('.') + 1);
  }
  return text;
}

// pybind11's long names of Python's numbers, shortened.
std::string plain_words(std::string text) {
  constexpr const char* kNames[][2] = {{"typing.SupportsInt | typing.SupportsIndex", "int"},
                                       {"typing.SupportsFloat | typing.SupportsIndex", "float"}};
  for (const auto& [long_name, short_name] : kNames) {
    const std::string wanted = long_name;
    for (size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted)) {
      text.replace(at, wanted.size(), short_name);
    }
  }
  return text;
}

// Rewords the error at hand if it is pybind11's "f(): incompatible function arguments ...".
void reword(PyObject* const* args, Py_ssize_t positional, PyObject* names) {
  py::error_already_set error;  // takes the error over
  const std::string text = py::str(error.value());
  const size_t end = text.find("(): incompatible function arguments");
  const size_t first = text.find("    1. "), last = text.find('\n', first);
  if (end == std::string::npos || first == std::string::npos) return error.restore();
  const std::string name = text.substr(0, end);
  const std::string message = "[" + name + "] expected " + name +
                              plain_words(text.substr(first + 7, last - first - 7)) + ", got (" +
                              types_of(args, positional, names) + ")";
  PyErr_SetString(PyExc_TypeError, message.c_str());
}

}  // namespace

PyObject* long_way(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  PyObject* result = dispatch(self, args, count, names);
  if (result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) {
    try {
      reword(args, PyVectorcall_NARGS(static_cast<size_t>(count)), names);
    } catch (...) {
      set_python_error();
    }
  }
  return result;
}

void add_shortcut(const char* name, Call call) { shortcuts[name] = call; }

void prepare_calls(py::module_& m) {
  for (const auto& item : py::dict(m.attr("__dict__"))) {
    if (!PyCFunction_CheckExact(item.second.ptr())) continue;
    PyMethodDef* method = reinterpret_cast<PyCFunctionObject*>(item.second.ptr())->m_ml;
    if (method->ml_flags != (METH_FASTCALL | METH_KEYWORDS)) continue;  // pybind11 before 3.1
    dispatch = reinterpret_cast<FastCall>(reinterpret_cast<void*>(method->ml_meth));
    const auto shortcut = shortcuts.find(method->ml_name);
    const Call call = shortcut == shortcuts.end() ? &long_way : shortcut->second;
    method->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call));
  }
}

}  // namespace norch
