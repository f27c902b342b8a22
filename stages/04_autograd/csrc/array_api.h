// What stage 2 tells other C++ modules of its arrays: a table of functions in the capsule
// `norch_cpu_ops._cpu._array_api`. This text stands in stage 2 (csrc/bindings/) and in every module
// that reads the table, the same to the byte; a change of it is a new version, which readers that
// do not know it refuse. The functions take Arrays, unchecked, with the GIL held.
#pragma once

#include <Python.h>

#include <cstdint>

#define NORCH_ARRAY_API_NAME "norch_cpu_ops._cpu._array_api"
#define NORCH_ARRAY_API_VERSION 2

struct NorchArrayApi {
  int version;                               // NORCH_ARRAY_API_VERSION of whoever made the table
  PyTypeObject* type;                        // the class Array, which has no subclasses
  int (*alike)(PyObject* a, PyObject* b);    // 1 if both have the same shape and dtype
  long long (*version_of)(PyObject* array);  // how often its storage was written in place
  int (*owns_storage)(PyObject* array);      // 1 if it is the only view, and shows all of it
  int (*sizes)(PyObject* array, const int64_t** at);  // how many dimensions, and their sizes
};
