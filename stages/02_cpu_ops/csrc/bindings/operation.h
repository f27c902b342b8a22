// How an operation enters Python: as one row of its family's table.
//
//     {"topk(a, k, dim=-1, largest=True)", &topk, "(values, indices) of the k largest.", 2},
//
// The text names the parameters and their defaults as Python writes them; the types are those of
// the C++ function (bindings/arguments.h lists which there are). From the row come the function
// that Python calls, without detours (METH_FASTCALL), the words about a wrong call, `__doc__`, and
// the stub _cpu.pyi. The last column is what one element costs, compared with an addition: when
// the largest array times that is long work, other Python threads may run meanwhile.
#pragma once

#include "bindings/arguments.h"

namespace norch {
inline constexpr double kHoldsGil = 0;    // short work, or a function that lets go by itself
inline constexpr double kExpCost = 8;     // an exp is worth several plain elements
inline constexpr double kLong = 1 << 20;  // where the arrays given do not tell
inline constexpr size_t kMostParameters = 16;

class Function;

struct Operation {
  const char* signature;
  const char* doc;
  double cost;
  void (*function)();
  PyObject* (*invoke)(const Function& f, PyObject* const* args);
  std::vector<std::string> types;  // of the parameters, then of the result

  template <class R, class... A>
  Operation(const char* signature_, R (*function_)(A...), const char* doc_, double cost_ = 1);
};

// A family's rows, which live as long as the module.
struct Table {
  const Operation* rows;
  size_t count;

  template <size_t n>
  Table(const Operation (&table)[n]) : rows(table), count(n) {}
};

// A row made ready for calls.
class Function {
 public:
  explicit Function(const Operation& row);
  Function(const Function&) = delete;

  // The body of a METH_FASTCALL | METH_KEYWORDS function, and of a method, whose first parameter
  // is the object itself. Null when an error has been set.
  PyObject* call(PyObject* const* args, Py_ssize_t positional, PyObject* names) const noexcept;
  PyObject* call_method(PyObject* self, PyObject* const* args, Py_ssize_t positional,
                        PyObject* names) const noexcept;

  const Operation& row() const { return row_; }
  const char* name() const { return name_.c_str(); }
  const char* doc() const { return doc_.c_str(); }
  Argument argument(PyObject* object, size_t place) const {
    return {object, name_.c_str(), parameters_[place].name.c_str()};
  }

 private:
  struct Parameter {
    std::string name;
    PyObject* interned;  // the same
    PyObject* fallback;  // null: must be given
  };

  void read_signature();
  void write_doc();
  void place(PyObject* const* args, Py_ssize_t positional, PyObject* names,
             PyObject** placed) const;
  size_t place_of(PyObject* name) const;
  void refuse(PyObject* const* args, Py_ssize_t positional, PyObject* names) const;

  const Operation& row_;
  std::string name_, expected_, doc_;  // "sum", "sum(a: Array, ...)", and the whole text
  std::vector<Parameter> parameters_;
};

// Makes a row of a table a function of the Python module.
void add_function(PyObject* module, const Operation& row);

// ---- From Python's arguments to a call in C++ ----

template <class T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;

// Made with braces, so that the arguments are read from left to right. Each Argument lives until
// the call is over, and what was read from it with it.
struct Invoked {
  PyObject* result;

  template <class R, class... A, class... Values>
  Invoked(double cost, R (*function)(A...), Values&&... values) {
    const double work = cost * std::max({0.0, elements(values)...});
    if constexpr (std::is_void_v<R>) {
      without_gil(work, [&] { function(values...); });
      result = Py_NewRef(Py_None);
    } else {
      result = give(without_gil(work, [&]() -> R { return function(values...); }));
    }
  }
};

// Reads the Python arguments from left to right and calls the C++ function.
template <class R, class... A, size_t... place>
PyObject* invoke_at(const Function& f, [[maybe_unused]] PyObject* const* args,
                    std::index_sequence<place...>) {
  const auto function = reinterpret_cast<R (*)(A...)>(f.row().function);
  return Invoked{f.row().cost, function, read(Type<Bare<A>>(), f.argument(args[place], place))...}
      .result;
}

// What a row keeps: how to call its C++ function with Python arguments.
template <class R, class... A>
PyObject* invoke(const Function& f, PyObject* const* args) {
  return invoke_at<R, A...>(f, args, std::index_sequence_for<A...>());
}

template <class R, class... A>
Operation::Operation(const char* signature_, R (*function_)(A...), const char* doc_, double cost_)
    : signature(signature_),
      doc(doc_),
      cost(cost_),
      function(reinterpret_cast<void (*)()>(function_)),
      invoke(&norch::invoke<R, A...>),
      types{type_of(Type<Bare<A>>())..., type_of(Type<Bare<R>>())} {
  static_assert(sizeof...(A) <= kMostParameters);
}
}  // namespace norch
