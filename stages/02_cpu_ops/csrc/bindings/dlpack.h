// DLPack, both ways: the exchange of arrays between libraries without a copy. A capsule holds a
// description of the memory and the function that lets it go.
// The structs are those of the standard (dmlc/dlpack, version 0.8, which every reader accepts).
#pragma once

#include "bindings/python.h"

namespace norch {

// __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) of Array.
PyObject* to_dlpack(const Array& a, PyObject* keywords);
PyObject* dlpack_device();  // (1, 0): the CPU

// The memory of any object with __dlpack__, shared.
Array from_dlpack(PyObject* exporter);

}  // namespace norch
