// What the core asks of an array. Stage 2's own answers come straight from C++, through a table of
// functions that its module hands out; any other array (stage 3's) is asked by attribute.
#pragma once

#include <cstdint>

#include "ref.h"

namespace norch {
bool find_arrays();
bool is_cpu_array(PyObject* object);
int alike(PyObject* a, PyObject* b);
Ref version_of(PyObject* array);
int is_version(PyObject* array, PyObject* version);
int sizes_of(PyObject* cpu_array, const int64_t** at);
int is_unshared(PyObject* array);
}  // namespace norch
