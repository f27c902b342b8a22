// Python's buffer protocol, both ways: arrays as memoryviews, and foreign buffers as arrays.
#pragma once

#include "bindings/python.h"

namespace norch {

int export_buffer(const Array& a, PyObject* owner, Py_buffer* view, int flags);
void release_buffer(PyObject* owner, Py_buffer* view);

// The same memory, zero copy; the exporter stays alive and locked as long as the storage does.
Array share_buffer(PyObject* exporter, const char* op);
Array from_buffer(PyObject* exporter);  // a row-major copy

}  // namespace norch
