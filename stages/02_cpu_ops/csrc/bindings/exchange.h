// Arrays out of Python's objects, and back: nested lists, the buffer protocol (NumPy, memoryview),
// and DLPack, the exchange of arrays between libraries without a copy, whose capsules hold a
// description of the memory and the function that lets it go (dmlc/dlpack 0.8, which every reader
// accepts).
#pragma once

#include <optional>

#include "bindings/python.h"

namespace norch {
// bools -> bool, ints -> int64 (exactly), anything with a float -> float32, unless dtype is given.
Array from_list(PyObject* nested, std::optional<DType> dtype);

// Fills in what a reader of an array's memory asks for; release_buffer ends the reading.
int export_buffer(const Array& a, PyObject* owner, Py_buffer* view, int flags);
void release_buffer(PyObject* owner, Py_buffer* view);

// The same memory, zero copy; the exporter stays alive and locked as long as the storage does.
Array share_buffer(PyObject* exporter, const char* op);
Array from_buffer(PyObject* exporter);  // a row-major copy

// __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) of Array.
PyObject* to_dlpack(const Array& a, PyObject* keywords);
PyObject* dlpack_device();  // (1, 0): the CPU
// The memory of any object with __dlpack__, shared.
Array from_dlpack(PyObject* exporter);
}  // namespace norch
