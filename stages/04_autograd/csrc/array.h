// What the core asks of an array. Stage 2's own answers come straight from C++, through a table of
// functions that its module hands out; any other array (stage 3's) is asked by attribute.
#pragma once

#include "ref.h"

namespace norch {

bool find_arrays();  // at import; false, with an ImportError, where stage 2 is of another version

bool is_cpu_array(PyObject* object);
int alike(PyObject* a, PyObject* b);  // same shape and dtype: 1 or 0; -1 with an error
Ref version_of(PyObject* array);
// Whether a kept version, a Python int, is the array's: 1 or 0; -1 with an error.
int is_version(PyObject* array, PyObject* version);
// A CPU array that only the caller holds, the only view of its storage, all of which it shows.
bool is_unshared(PyObject* array);

}  // namespace norch
