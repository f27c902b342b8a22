// The form of types/modes.py: what each thread is doing. The values are Python objects in a record
// that the thread's own dictionary holds, so that they go when the thread ends.
#pragma once

#include "text.h"

namespace norch {
// In the order of `names` in mode.cpp.
enum Setting {
  kEnabled,
  kInference,
  kComposite,
  kOnArrays,
  kAutocast,
  kPackers,
  kRefused,
  kDevices,
  kSettings
};

struct ModeRecord {
  PyObject_HEAD PyObject* values[kSettings];

  // Whether a setting is true: 1 or 0; -1 with an error.
  int is(Setting setting) const { return PyObject_IsTrue(values[setting]); }
  void set(Setting setting, PyObject* value) { Py_XSETREF(values[setting], Py_NewRef(value)); }
};

extern Text mode_text;
extern PyTypeObject* mode_class;
bool make_mode_class();
bool read_mode_text();
ModeRecord* thread_mode();
}  // namespace norch
