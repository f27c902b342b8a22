#include "record.h"

#include "array.h"
#include "mode.h"
#include "state.h"

namespace norch {
Text set_tensor_class_text("set_tensor_class"), wrap_text("wrap"), plain_text("plain"),
    edge_of_text("edge_of"), track_view_text("track_view"), attach_node_text("attach_node"),
    keep_text("keep"), unary_text("unary"), record_text("record"), binary_text("binary"),
    binary_with_number_text("binary_with_number");

namespace {
PyObject* unrecorded;  // why a view cannot be edited that was made under no_grad
PyObject* packing;     // the open saved_tensors_hooks: while there is one, the texts keep

// Whether no saved_tensors_hooks are open, in any thread.
bool nobody_packs() { return PyList_GET_SIZE(packing) == 0; }

// A result that wants no gradient.
Ref plain_result(PyObject* array) { return wrapped(array, Py_False, Py_None); }

// Whether operations are recorded in this thread: 1 or 0; -1 with an error.
int is_recording() {
  const ModeRecord* mode = thread_mode();
  return mode == nullptr ? -1 : mode->is(kEnabled);
}

// A view whose base came by another node since it was made: it needs a new one itself.
bool is_stale(const Tensor* view) {
  PyObject* const base = view->base;
  if (base == Py_None) return false;
  if (!PyTuple_CheckExact(base) || PyTuple_GET_SIZE(base) != 3) return true;
  PyObject* const shown = PyTuple_GET_ITEM(base, 0);
  return !is_tensor(shown) || tensor(shown)->node != PyTuple_GET_ITEM(base, 1);
}

// Where the gradient of a tensor goes. Looked at anew: an array that is asked, or a stale view, may
// have run Python since the operation began.
Ref edge(PyObject* input) {
  if (!is_whole(input)) return Ref(edge_of_text({&input, 1, nullptr}));
  if (!requires_grad(input)) return Ref::to(Py_None);
  if (is_stale(tensor(input))) return Ref(edge_of_text({&input, 1, nullptr}));
  PyObject* const made_by = tensor(input)->node;
  return Ref::to(made_by == Py_None ? input : made_by);
}

// A tuple of what is given; null where one of it is.
template <class... Refs>
Ref tuple_of(Refs... items) {
  Ref made((items && ...) ? PyTuple_New(sizeof...(items)) : nullptr);
  Py_ssize_t i = 0;
  if (made) (PyTuple_SET_ITEM(made.get(), i++, items.release()), ...);
  return made;
}

// A note of a value: the tensor it belongs to (None: the result), its array, and its version.
Ref note(PyObject* from, PyObject* array) {
  Ref held = Ref::to(array);  // `from` may be given another while this one is asked
  Ref version = version_of(array);
  return tuple_of(Ref::to(from), std::move(held), std::move(version));
}

// What is kept of one item: a note of a tensor or of the result, anything else as it is.
Ref note_of(PyObject* item, PyObject* result) {
  if (item == result) return note(Py_None, item);
  if (is_tensor(item) && tensor(item)->array != nullptr) return note(item, tensor(item)->array);
  return Ref::to(item);
}

// What a node keeps of `saved`, a tuple, while nobody packs; of nothing, the empty tuple.
Ref notes_of(PyObject* saved, PyObject* result) {
  const Py_ssize_t count = PyTuple_GET_SIZE(saved);
  Ref kept(PyList_New(count));
  for (Py_ssize_t i = 0; kept && i < count; ++i) {
    Ref item = note_of(PyTuple_GET_ITEM(saved, i), result);
    if (!item) return Ref();
    PyList_SET_ITEM(kept.get(), i, item.release());
  }
  return kept;
}

// The same where `saved` may be left out.
Ref kept_of(PyObject* saved, PyObject* result) {
  if (saved == nullptr) return Ref(PyTuple_New(0));
  return PyTuple_GET_SIZE(saved) == 0 ? Ref::to(saved) : notes_of(saved, result);
}

// An argument of a call, or its default None.
PyObject* or_none(PyObject* object) { return object == nullptr ? Py_None : object; }

// A result and its node, of a plain kind.
PyObject* result_of(PyObject* kind, PyObject* array, const Ref& edges, const Ref& kept,
                    PyObject* context) {
  if (!edges || !kept) return nullptr;
  const Ref made = new_node(kind, edges.get(), kept.get(), context);
  return made ? wrapped(array, Py_True, made.get()).release() : nullptr;
}

// Whether an operation's `saved` is left out, or a tuple.
bool is_saved(PyObject* saved) { return saved == nullptr || PyTuple_CheckExact(saved); }
}  // namespace

// At import: the list of open hooks that the text of `keep` looks into.
bool read_keep_text() {
  packing = global_of(keep_text.get(), "packing").release();
  return packing != nullptr;
}

// At import: the reason that the text of `track_view` gives.
bool read_track_view_text() {
  unrecorded = global_of(track_view_text.get(), "UNRECORDED").release();
  return unrecorded != nullptr;
}

// Says which class results have, here and in the text.
PyObject* set_tensor_class(const Call& call) {
  Ref done(set_tensor_class_text(call));
  if (done) set_result_class(reinterpret_cast<PyTypeObject*>(call.args[0]));
  return done.release();
}

// A tensor around an array that exists already.
PyObject* wrap(const Call& call) {
  if (call.count != 3 || call.names != nullptr) return wrap_text(call);
  return wrapped(call.args[0], call.args[1], call.args[2]).release();
}

// The result of an operation that has no derivative.
PyObject* plain(const Call& call) {
  if (call.count != 1 || call.names != nullptr) return plain_text(call);
  return plain_result(call.args[0]).release();
}

// Where the gradient of a tensor goes: its node, or itself if it is a leaf.
PyObject* edge_of(const Call& call) {
  if (call.count != 1 || call.names != nullptr) return edge_of_text(call);
  PyObject* const input = call.args[0];
  if (input == Py_None) return Py_NewRef(Py_None);
  return edge(input).release();
}

// Notes whose storage a view shows, and tells its base of it. The first view of a base, and the one
// at which it drops those that are gone, are the text's.
PyObject* track_view(const Call& call) {
  static const char* const names[] = {"view", "input", "why_not"};
  Arguments<3> given;
  if (!given.fit(call, names, 2) || !is_whole(given.at[0]) || !is_whole(given.at[1]))
    return track_view_text(call);
  Tensor* const view = tensor(given.at[0]);
  PyObject *base = given.at[1], *why_not = or_none(given.at[2]), *found = tensor(base)->base;
  if (found != Py_None) {
    if (!PyTuple_CheckExact(found) || PyTuple_GET_SIZE(found) != 3) return track_view_text(call);
    base = PyTuple_GET_ITEM(found, 0);
    if (why_not == Py_None) why_not = PyTuple_GET_ITEM(found, 2);
  }
  if (!is_whole(base)) return track_view_text(call);
  PyObject* const known = tensor(base)->views;
  if (!requires_grad(given.at[0])) {
    if (known == nullptr || !PyList_Check(known)) return track_view_text(call);
    const Py_ssize_t count = PyList_GET_SIZE(known);
    if (count >= 63 && (count & (count + 1)) == 0) return track_view_text(call);
  }
  const int recording = is_recording();
  if (recording < 0) return nullptr;
  if (why_not == Py_None && recording == 0) why_not = unrecorded;
  Ref entry = tuple_of(Ref::to(base), Ref::to(tensor(base)->node), Ref::to(why_not));
  const Ref seen(requires_grad(given.at[0]) ? nullptr : PyWeakref_NewRef(given.at[0], nullptr));
  if (!entry || PyErr_Occurred() || (seen && PyList_Append(known, seen.get()) < 0)) return nullptr;
  Py_XSETREF(view->base, entry.release());
  Py_RETURN_NONE;
}

// A result and its node, of edges and kept values that are there.
PyObject* attach_node(const Call& call) {
  static const char* const names[] = {"kind", "array", "edges", "kept", "context"};
  Arguments<5> given;
  if (!given.fit(call, names, 3) || !is_plain_kind(given.at[0])) return attach_node_text(call);
  const Ref kept = given.at[3] == nullptr ? Ref(PyTuple_New(0)) : Ref::to(given.at[3]);
  return result_of(given.at[0], given.at[1], Ref::to(given.at[2]), kept, or_none(given.at[4]));
}

// Notes values down for a backward pass.
PyObject* keep(const Call& call) {
  if (call.count != 2 || call.names != nullptr || !PyTuple_CheckExact(call.args[0]) ||
      !nobody_packs())
    return keep_text(call);
  return notes_of(call.args[0], call.args[1]).release();
}

// The result of a function of one tensor, with its node if a gradient is wanted.
PyObject* unary(const Call& call) {
  static const char* const names[] = {"kind", "array", "input", "saved", "context"};
  Arguments<5> given;
  if (!given.fit(call, names, 3) || !is_plain_kind(given.at[0]) || !is_whole(given.at[2]) ||
      !is_saved(given.at[3]) || !nobody_packs())
    return unary_text(call);
  PyObject *const array = given.at[1], *const input = given.at[2];
  const int recording = requires_grad(input) ? is_recording() : 0;
  if (recording <= 0) return recording < 0 ? nullptr : plain_result(array).release();
  const Ref edges = tuple_of(edge(input));
  if (!edges) return nullptr;
  return result_of(given.at[0], array, edges, kept_of(given.at[3], array), or_none(given.at[4]));
}

// Whether `inputs`, of a call of `record`, are whole tensors or None.
static bool are_operands(PyObject* inputs) {
  if (!PyTuple_CheckExact(inputs)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); ++i) {
    PyObject* const input = PyTuple_GET_ITEM(inputs, i);
    if (input != Py_None && !is_whole(input)) return false;
  }
  return true;
}

// Where the gradients of the inputs of `record` go.
static Ref edges_of(PyObject* inputs) {
  const Py_ssize_t count = PyTuple_GET_SIZE(inputs);
  Ref edges(PyTuple_New(count));
  for (Py_ssize_t i = 0; edges && i < count; ++i) {
    PyObject* const input = PyTuple_GET_ITEM(inputs, i);
    Ref from = input == Py_None ? Ref::to(Py_None) : edge(input);
    if (!from) return Ref();
    PyTuple_SET_ITEM(edges.get(), i, from.release());
  }
  return edges;
}

// The result of a function of any number of tensors, with its node.
PyObject* record(const Call& call) {
  static const char* const names[] = {"kind", "array", "inputs", "saved", "context"};
  Arguments<5> given;
  if (!given.fit(call, names, 3) || !is_plain_kind(given.at[0]) || !are_operands(given.at[2]) ||
      !is_saved(given.at[3]) || !nobody_packs())
    return record_text(call);
  PyObject *const array = given.at[1], *const inputs = given.at[2];
  bool wanted = false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); ++i) {
    PyObject* const input = PyTuple_GET_ITEM(inputs, i);
    wanted |= input != Py_None && requires_grad(input);
  }
  const int recording = wanted ? is_recording() : 0;
  if (recording <= 0) return recording < 0 ? nullptr : plain_result(array).release();
  const Ref edges = edges_of(inputs);
  const Ref saved = given.at[3] == nullptr ? Ref(PyTuple_New(0)) : Ref::to(given.at[3]);
  if (!edges || !saved) return nullptr;
  return result_of(given.at[0], array, edges, notes_of(saved.get(), array), or_none(given.at[4]));
}

// The result of a function of two tensors of one shape and dtype, with its node.
PyObject* binary(const Call& call) {
  static const char* const names[] = {"kind", "array", "input", "other", "saved"};
  Arguments<5> given;
  if (!given.fit(call, names, 4) || !is_plain_kind(given.at[0]) || !is_whole(given.at[2]) ||
      !is_whole(given.at[3]) || !is_saved(given.at[4]) || !nobody_packs())
    return binary_text(call);
  PyObject *const array = given.at[1], *const input = given.at[2], *const other = given.at[3];
  const int recording = requires_grad(input) || requires_grad(other) ? is_recording() : 0;
  if (recording <= 0) return recording < 0 ? nullptr : plain_result(array).release();
  const int same = alike(tensor(input)->array, tensor(other)->array);
  if (same < 0) return nullptr;
  if (same == 0) return binary_text(call);
  Ref first = edge(input);
  const Ref edges = first ? tuple_of(std::move(first), edge(other)) : Ref();
  if (!edges) return nullptr;
  return result_of(given.at[0], array, edges, kept_of(given.at[4], array), Py_None);
}

// The result of a function of a tensor and a number, with its node.
PyObject* binary_with_number(const Call& call) {
  static const char* const names[] = {"kind", "array", "input", "saved"};
  Arguments<4> given;
  if (!given.fit(call, names, 3) || !is_plain_kind(given.at[0]) || !is_whole(given.at[2]) ||
      !is_saved(given.at[3]) || !nobody_packs())
    return binary_with_number_text(call);
  PyObject *const array = given.at[1], *const input = given.at[2];
  const int recording = requires_grad(input) ? is_recording() : 0;
  if (recording <= 0) return recording < 0 ? nullptr : plain_result(array).release();
  const Ref kept = kept_of(given.at[3], array);
  if (!kept) return nullptr;
  return result_of(given.at[0], array, tuple_of(edge(input), Ref::to(Py_None)), kept, Py_None);
}
}  // namespace norch
