// The module's attribute `_array_api`, a capsule with the table of array_api.h.
#pragma once

#include "bindings/python.h"

namespace norch {

void add_array_api(PyObject* module);  // once the class Array is made; throws PythonError

}  // namespace norch
