#include "mode.h"

#include <cstdint>

namespace norch {
Text mode_text("Mode");
PyTypeObject* mode_class = nullptr;

namespace {
const char* const names[kSettings] = {"enabled",  "inference", "composite",       "on_arrays",
                                      "autocast", "packers",   "packing_refused", "devices"};
PyObject* defaults[kSettings];
PyTypeObject* record_class = nullptr;
PyObject* key = nullptr;

// The record that was asked for last. No two threads have one number, and a number never returns.
ModeRecord* last = nullptr;
uint64_t last_thread = 0;

// Frees the modes of a thread that ended.
void free_record(PyObject* self) {
  auto* record = reinterpret_cast<ModeRecord*>(self);
  if (record == last) last = nullptr;
  for (PyObject* value : record->values) Py_XDECREF(value);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// The modes of a new thread: the values that the text gives.
ModeRecord* new_record() {
  auto* record = reinterpret_cast<ModeRecord*>(record_class->tp_alloc(record_class, 0));
  if (record == nullptr) return nullptr;
  for (int k = 0; k < kSettings; ++k) record->values[k] = Py_NewRef(defaults[k]);
  return record;
}

// Which mode a getter or setter is for.
Setting setting_in(void* closure) {
  return static_cast<Setting>(reinterpret_cast<intptr_t>(closure));
}

// One mode of this thread, as Python reads `mode.enabled`.
PyObject* get_setting(PyObject*, void* closure) {
  const ModeRecord* mode = thread_mode();
  return mode == nullptr ? nullptr : Py_NewRef(mode->values[setting_in(closure)]);
}

// Sets one mode of this thread, as Python writes `mode.enabled = ...`.
int set_setting(PyObject*, PyObject* value, void* closure) {
  const Setting setting = setting_in(closure);
  if (value == nullptr) {
    PyErr_Format(PyExc_AttributeError, "[mode] %s cannot be deleted", names[setting]);
    return -1;
  }
  ModeRecord* mode = thread_mode();
  if (mode == nullptr) return -1;
  mode->set(setting, value);
  return 0;
}

PyGetSetDef settings[kSettings + 1];
}  // namespace

// The class Mode, one attribute a setting, and that of the records behind it.
bool make_mode_class() {
  for (intptr_t k = 0; k < kSettings; ++k)
    settings[k] = {names[k], get_setting, set_setting, nullptr, reinterpret_cast<void*>(k)};
  PyType_Slot slots[] = {{Py_tp_getset, settings}, {0, nullptr}};
  PyType_Spec spec = {"norch_autograd._core.Mode", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, slots};
  mode_class = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  PyType_Slot hidden[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&free_record)}, {0, nullptr}};
  PyType_Spec record = {"norch_autograd._core.ModeRecord", sizeof(ModeRecord), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, hidden};
  record_class = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&record));
  key = PyUnicode_InternFromString("norch_autograd.mode");
  return mode_class != nullptr && record_class != nullptr && key != nullptr;
}

// At import: the values of `Mode` in the text, with which each thread starts.
bool read_mode_text() {
  for (int k = 0; k < kSettings; ++k) {
    Ref value(PyObject_GetAttrString(mode_text.get(), names[k]));
    if (!value) return false;
    Py_XSETREF(defaults[k], value.release());
  }
  return true;
}

// The modes of this thread; null, with an error, if there is no memory for them.
ModeRecord* thread_mode() {
  const uint64_t thread = PyThreadState_GetID(PyThreadState_Get());
  if (last != nullptr && thread == last_thread) return last;
  PyObject* const held = PyThreadState_GetDict();
  if (held == nullptr) return reinterpret_cast<ModeRecord*>(PyErr_NoMemory());
  PyObject* found = PyDict_GetItemWithError(held, key);
  if (found == nullptr) {
    if (PyErr_Occurred()) return nullptr;
    const Ref made(reinterpret_cast<PyObject*>(new_record()));
    if (!made || PyDict_SetItem(held, key, made.get()) < 0) return nullptr;
    found = made.get();
  }
  last = reinterpret_cast<ModeRecord*>(found);
  last_thread = thread;
  return last;
}
}  // namespace norch
