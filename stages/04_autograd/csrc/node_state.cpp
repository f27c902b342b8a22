#include <cstddef>

#include "array.h"
#include "mode.h"
#include "state.h"

namespace norch {
Text node_text("NodeState");
PyTypeObject* node_state = nullptr;

namespace {
long long next_number = 0;
PyObject *watchers, *announce, *packed_class, *freeze_text;  // as graph/node.py knows them
PyObject *on_arrays_name, *needs_name, *saved_name, *saved_array_name;

// What a node holds.
constexpr PyMemberDef members[] = {
    {"edges", T_OBJECT_EX, offsetof(Node, edges), 0, nullptr},
    {"kept", T_OBJECT_EX, offsetof(Node, kept), 0, nullptr},
    {"context", T_OBJECT_EX, offsetof(Node, context), 0, nullptr},
    {"hooks", T_OBJECT_EX, offsetof(Node, hooks), 0, nullptr},
    {"number", T_LONGLONG, offsetof(Node, number), 0, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Node, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

// Whether `freeze` (graph/operands.py) finds nothing in `value` that an edit could change.
bool is_frozen(PyObject* value) {
  if (PyTuple_Check(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
      if (!is_frozen(PyTuple_GET_ITEM(value, i))) return false;
    }
    return true;
  }
  if (PySlice_Check(value)) {
    const auto* s = reinterpret_cast<PySliceObject*>(value);
    return is_frozen(s->start) && is_frozen(s->stop) && is_frozen(s->step);
  }
  return PyLong_Check(value) || !(PyIndex_Check(value) || PyList_Check(value));
}

// Tuples and lists of what is frozen, item by item; of all else the text makes what is kept.
Ref freeze(PyObject* value) {
  if (is_frozen(value)) return Ref::to(value);
  const bool is_list = PyList_CheckExact(value);
  if (!is_list && !PyTuple_CheckExact(value)) {
    return Ref(PyObject_CallOneArg(freeze_text, value));
  }
  const Ref items = is_list ? Ref(PyList_AsTuple(value)) : Ref::to(value);  // no text changes these
  Ref made(items ? PyTuple_New(PyTuple_GET_SIZE(items.get())) : nullptr);
  for (Py_ssize_t i = 0; made && i < PyTuple_GET_SIZE(items.get()); ++i) {
    Ref item = freeze(PyTuple_GET_ITEM(items.get(), i));
    if (!item) return Ref();
    PyTuple_SET_ITEM(made.get(), i, item.release());
  }
  return made;
}

// Gives a new node what it holds, its number, and a frozen context; tells the watchers of it.
bool fill(PyObject* self, PyObject* edges, PyObject* kept, PyObject* given) {
  Node* n = node(self);
  Ref context = freeze(given);
  if (!context) return false;
  Py_XSETREF(n->edges, Py_NewRef(edges));
  Py_XSETREF(n->kept, Py_NewRef(kept));
  Py_XSETREF(n->context, context.release());
  Py_XSETREF(n->hooks, Py_NewRef(Py_None));
  n->number = next_number++;
  if (PyList_GET_SIZE(watchers) == 0) return true;
  return bool(Ref(PyObject_CallOneArg(announce, self)));
}

// `__init__` of a node, as Python calls it.
int init(PyObject* self, PyObject* args, PyObject* named) {
  static const char* names[] = {"edges", "kept", "context", nullptr};
  PyObject *edges, *kept, *context;
  if (!PyArg_ParseTupleAndKeywords(args, named, "OOO:__init__", const_cast<char**>(names), &edges,
                                   &kept, &context))
    return -1;
  return fill(self, edges, kept, context) ? 0 : -1;
}

// An index of a list or tuple as it stands, or -1: negative ones and other objects are the text's.
Py_ssize_t index_below(PyObject* index, Py_ssize_t size) {
  if (!PyLong_CheckExact(index)) return -1;
  const Py_ssize_t i = PyLong_AsSsize_t(index);
  if (i == -1 && PyErr_Occurred()) PyErr_Clear();
  return i < size ? i : -1;
}

// Whether input `index` wants a gradient.
PyObject* needs(PyObject* self, PyObject* index) {
  PyObject* const edges = node(self)->edges;
  if (edges != nullptr && PyTuple_CheckExact(edges)) {
    const Py_ssize_t i = index_below(index, PyTuple_GET_SIZE(edges));
    if (i >= 0) return PyBool_FromLong(PyTuple_GET_ITEM(edges, i) != Py_None);
  }
  return node_text.method(needs_name, self, index);
}

// The kept value `index`; null, perhaps with an error, where the text must look: it was freed,
// packed or edited since, or there is none.
Ref kept_item(PyObject* self, PyObject* index) {
  PyObject* const kept = node(self)->kept;
  if (kept == nullptr || !PyList_CheckExact(kept)) return Ref();
  const Py_ssize_t i = index_below(index, PyList_GET_SIZE(kept));
  Ref item = Ref::to(i < 0 ? nullptr : PyList_GET_ITEM(kept, i));
  if (!item || reinterpret_cast<PyObject*>(Py_TYPE(item.get())) == packed_class) return Ref();
  if (!PyTuple_CheckExact(item.get())) return item;
  if (PyTuple_GET_SIZE(item.get()) != 3) return Ref();  // no note of a tensor, array and version
  const int holds = is_version(PyTuple_GET_ITEM(item.get(), 1), PyTuple_GET_ITEM(item.get(), 2));
  return holds > 0 ? std::move(item) : Ref();
}

// What the text of a method answers; null, with an error that is set already or its own.
PyObject* ask_text(PyObject* method, PyObject* self, PyObject* index) {
  return PyErr_Occurred() ? nullptr : node_text.method(method, self, index);
}

// Whether `saved` hands arrays to this node: one that says `on_arrays`, in a pass on arrays.
int reads_arrays(PyObject* self) {
  const ModeRecord* mode = thread_mode();
  if (mode == nullptr) return -1;
  const int in_pass = mode->is(kOnArrays);
  if (in_pass <= 0) return in_pass;
  const Ref on_arrays(PyObject_GetAttr(self, on_arrays_name));
  return on_arrays ? PyObject_IsTrue(on_arrays.get()) : -1;
}

// The kept value `index` as `backward` reads it.
PyObject* saved(PyObject* self, PyObject* index) {
  Ref item = kept_item(self, index);
  if (!item) return ask_text(saved_name, self, index);
  if (!PyTuple_CheckExact(item.get())) return item.release();
  PyObject* const from = PyTuple_GET_ITEM(item.get(), 0);
  PyObject* const array = PyTuple_GET_ITEM(item.get(), 1);
  const int as_array = reads_arrays(self);
  if (as_array < 0) return nullptr;
  if (as_array) return Py_NewRef(array);
  if (from == Py_None) return wrapped(array, Py_True, self).release();
  if (is_tensor(from) && tensor(from)->array == array) return Py_NewRef(from);
  return node_text.method(saved_name, self, index);
}

// The kept value `index` as `kernel` reads it.
PyObject* saved_array(PyObject* self, PyObject* index) {
  Ref item = kept_item(self, index);
  if (!item) return ask_text(saved_array_name, self, index);
  if (!PyTuple_CheckExact(item.get())) return item.release();
  return Py_NewRef(PyTuple_GET_ITEM(item.get(), 1));
}

PyMethodDef methods[] = {
    {"needs", &needs, METH_O, "Whether input `i` wants a gradient."},
    {"saved", &saved, METH_O, "The kept value `i` as `backward` reads it."},
    {"saved_array", &saved_array, METH_O, "The kept value `i` as `kernel` reads it: an array."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_members, const_cast<PyMemberDef*>(members)},
                       {Py_tp_methods, methods},
                       {Py_tp_init, reinterpret_cast<void*>(&init)},
                       {Py_tp_traverse, reinterpret_cast<void*>(&traverse<members>)},
                       {Py_tp_clear, reinterpret_cast<void*>(&clear<members>)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(&deallocate<members>)},
                       {0, nullptr}};
PyType_Spec spec = {"norch_autograd._core.NodeState", sizeof(Node), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
}  // namespace

// The class NodeState, and the names of what is read of nodes.
bool make_node_state() {
  on_arrays_name = PyUnicode_InternFromString("on_arrays");
  needs_name = PyUnicode_InternFromString("needs");
  saved_name = PyUnicode_InternFromString("saved");
  saved_array_name = PyUnicode_InternFromString("saved_array");
  node_state = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return on_arrays_name && needs_name && saved_name && saved_array_name && node_state;
}

// What graph/node.py calls `watchers`, `announce`, `Packed` and `freeze`.
bool read_node_text() {
  const Ref method(PyObject_GetAttrString(node_text.get(), "saved"));
  if (!method) return false;
  watchers = global_of(method.get(), "watchers").release();
  announce = global_of(method.get(), "announce").release();
  packed_class = global_of(method.get(), "Packed").release();
  freeze_text = global_of(method.get(), "freeze").release();
  if (!watchers || !announce || !packed_class || !freeze_text) return false;
  const Ref on_arrays(PyObject_GetAttr(node_text.get(), on_arrays_name));
  PyObject* const state = reinterpret_cast<PyObject*>(node_state);
  return on_arrays && PyObject_SetAttr(state, on_arrays_name, on_arrays.get()) == 0;
}

// Whether `kind` is a class of nodes that Python makes with NodeState's `__init__`.
bool is_plain_kind(PyObject* kind) {
  if (!PyType_Check(kind)) return false;
  auto* type = reinterpret_cast<PyTypeObject*>(kind);
  return PyType_IsSubtype(type, node_state) && type->tp_init == &init &&
         type->tp_new == PyBaseObject_Type.tp_new;
}

// A new node of class `kind`, without a call of Python.
Ref new_node(PyObject* kind, PyObject* edges, PyObject* kept, PyObject* context) {
  auto* type = reinterpret_cast<PyTypeObject*>(kind);
  Ref made(type->tp_alloc(type, 0));
  if (made && !fill(made.get(), edges, kept, context)) return Ref();
  return made;
}
}  // namespace norch
