// Rows as Python functions: a signature is read once, at import; a call then only sorts arguments.
#include "bindings/operation.h"

namespace norch {
namespace {
// A default as a row writes it: None, True, False, 'text', 1e-5 or -1.
Owned default_from(const std::string& text) {
  if (text == "None") return Owned(Py_NewRef(Py_None));
  if (text == "True") return Owned(Py_NewRef(Py_True));
  if (text == "False") return Owned(Py_NewRef(Py_False));
  if (text[0] == '\'')
    return checked(PyUnicode_FromString(text.substr(1, text.size() - 2).c_str()));
  if (text.find_first_of(".e") == std::string::npos) {
    return checked(PyLong_FromString(text.c_str(), nullptr, 10));
  }
  return checked(PyFloat_FromDouble(PyOS_string_to_double(text.c_str(), nullptr, nullptr)));
}

// "Array, str, dim=int": the types of what was passed.
std::string types_of(PyObject* const* args, Py_ssize_t positional, PyObject* names) {
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  std::string text;
  for (Py_ssize_t i = 0; i < positional + named; ++i) {
    if (i > 0) text += ", ";
    if (i >= positional) {
      const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i - positional));
      if (name == nullptr) throw PythonError();
      text += std::string(name) + "=";
    }
    const std::string type = Py_TYPE(args[i])->tp_name;  // may open with its module
    text += type.substr(type.rfind('.') + 1);
  }
  return text;
}

// What Python calls for every operation: its row sorts the arguments.
PyObject* call_function(PyObject* self, PyObject* const* args, Py_ssize_t positional,
                        PyObject* names) {
  const auto* function = static_cast<const Function*>(PyCapsule_GetPointer(self, nullptr));
  return function->call(args, positional, names);
}
}  // namespace

Function::Function(const Operation& row) : row_(row) {
  read_signature();
  write_doc();
}

// Reads the names and defaults of the Python parameters from a row's text.
void Function::read_signature() {
  const std::string text = row_.signature;
  size_t at = text.find('(');
  name_ = text.substr(0, at);
  for (++at; text[at] != ')'; at += text[at] == ',' ? 2 : 0) {
    const size_t end = text.find_first_of(",)", at), equals = text.find('=', at);
    const bool has_default = equals < end;
    const std::string name = text.substr(at, (has_default ? equals : end) - at);
    Owned fallback =
        has_default ? default_from(text.substr(equals + 1, end - equals - 1)) : Owned();
    Owned interned = checked(PyUnicode_InternFromString(name.c_str()));
    parameters_.push_back({name, interned.release(), fallback.release()});
    at = end;
  }
  if (parameters_.size() + 1 != row_.types.size()) {
    raise<Error>("[", name_, "] the row names ", parameters_.size(),
                 " parameters, the function has ", row_.types.size() - 1);
  }
}

// Writes the Python signature that errors quote, and `__doc__`.
void Function::write_doc() {
  expected_ = name_ + "(";
  for (size_t i = 0; i < parameters_.size(); ++i) {
    expected_ += (i == 0 ? "" : ", ") + parameters_[i].name + ": " + row_.types[i];
    if (parameters_[i].fallback == nullptr) continue;
    const Owned text = checked(PyObject_Repr(parameters_[i].fallback));
    expected_ += std::string(" = ") + PyUnicode_AsUTF8(text.get());
  }
  expected_ += ")";
  doc_ = expected_ + " -> " + row_.types.back() + "\n\n" + row_.doc;
}

// The place of the Python parameter of that name.
size_t Function::place_of(PyObject* name) const {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].interned == name) return i;
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {  // a name made at run time
    if (PyUnicode_Compare(parameters_[i].interned, name) == 0) return i;
  }
  throw Mismatch();
}

// Sorts the arguments into the order of the parameters.
void Function::place(PyObject* const* args, Py_ssize_t positional, PyObject* names,
                     PyObject** placed) const {
  const size_t count = parameters_.size();
  if (static_cast<size_t>(positional) > count) throw Mismatch();
  std::fill(std::copy_n(args, positional, placed), placed + count, nullptr);
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < named; ++i) {
    const size_t at = place_of(PyTuple_GET_ITEM(names, i));
    if (placed[at] != nullptr) throw Mismatch();
    placed[at] = args[positional + i];
  }
  for (size_t i = static_cast<size_t>(positional); i < count; ++i) {
    if (placed[i] == nullptr) placed[i] = parameters_[i].fallback;
    if (placed[i] == nullptr) throw Mismatch();
  }
}

// The TypeError for a Python call with wrong arguments.
void Function::refuse(PyObject* const* args, Py_ssize_t positional, PyObject* names) const {
  raise<TypeError>("[", name_, "] expected ", expected_, ", got (",
                   types_of(args, positional, names), ")");
}

// Calls the C++ function of a row with a Python call's arguments.
PyObject* Function::call(PyObject* const* args, Py_ssize_t positional,
                         PyObject* names) const noexcept {
  try {
    try {
      if (names == nullptr && static_cast<size_t>(positional) == parameters_.size()) {
        return row_.invoke(*this, args);
      }
      PyObject* placed[kMostParameters];
      place(args, positional, names, placed);
      return row_.invoke(*this, placed);
    } catch (const Mismatch&) {
      refuse(args, positional, names);
    }
  } catch (...) {
    set_python_error();
  }
  return nullptr;
}

// The same for a method: the object itself is the first argument.
PyObject* Function::call_method(PyObject* self, PyObject* const* args, Py_ssize_t positional,
                                PyObject* names) const noexcept {
  const Py_ssize_t given = positional + (names == nullptr ? 0 : PyTuple_GET_SIZE(names));
  if (static_cast<size_t>(given) > kMostParameters) return call(args, given, nullptr);  // refuses
  PyObject* all[kMostParameters + 1] = {self};
  std::copy_n(args, given, all + 1);
  return call(all, positional + 1, names);
}

// Makes a row of a table an attribute of the Python module.
void add_function(PyObject* module, const Operation& row) {
  struct Entry {  // never freed: Python may keep the function for ever
    Function function;
    PyMethodDef method;
  };
  auto* entry = new Entry{Function(row), {}};
  entry->method = {entry->function.name(),
                   reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_function)),
                   METH_FASTCALL | METH_KEYWORDS, entry->function.doc()};
  const Owned self = checked(PyCapsule_New(&entry->function, nullptr, nullptr));
  const Owned module_name = checked(PyModule_GetNameObject(module));
  Owned made = checked(PyCFunction_NewEx(&entry->method, self.get(), module_name.get()));
  if (PyModule_AddObjectRef(module, entry->function.name(), made.get()) != 0) throw PythonError();
}
}  // namespace norch
