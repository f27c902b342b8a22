#include "pass.h"

#include <new>

#include "array.h"
#include "mode.h"

namespace norch {
Text run_text("run");

namespace {
// As engine/engine.py knows them.
PyObject *watchers, *show_gradient, *backward_with_hooks, *accumulate_class;
PyObject *kernel_name, *only_name, *before_name, *arriving_name, *run_accumulated_name;

// The mode of a pass, as `BackwardPass` of the text sets it, put back where its name ends.
class PassMode {
 public:
  explicit PassMode(ModeRecord* mode)
      : mode_(mode),
        enabled_(Ref::to(mode->values[kEnabled])),
        on_arrays_(Ref::to(mode->values[kOnArrays])),
        autocast_(Ref::to(mode->values[kAutocast])) {
    mode->set(kEnabled, Py_False);
    mode->set(kOnArrays, Py_True);
    mode->set(kAutocast, Py_None);
  }
  ~PassMode() {
    mode_->set(kEnabled, enabled_.get());
    mode_->set(kOnArrays, on_arrays_.get());
    mode_->set(kAutocast, autocast_.get());
  }

 private:
  ModeRecord* mode_;
  Ref enabled_, on_arrays_, autocast_;
};

class Pass {
 public:
  Pass(Plan&& plan, PyObject* accumulator, bool retain_graph)
      : plan_(std::move(plan)),
        at_node_(plan_.nodes.size()),
        at_leaf_(plan_.leaves.size()),
        accumulator_(accumulator),
        retain_graph_(retain_graph) {}

  bool run(PyObject* grads);

 private:
  bool add(uint32_t place, PyObject* part);
  bool start(PyObject* grads);
  bool walk(const Plan::Step& step, Ref grad);
  bool share(const Plan::Step& step, const Ref& parts);
  bool hand_over(uint32_t leaf);
  bool write_first(Tensor* leaf, PyObject* grad);

  Plan plan_;
  std::vector<Ref> at_node_, at_leaf_;  // what has arrived, by place
  Ref before_;                          // the accumulator's notes, if this file may write them
  PyObject* accumulator_;
  bool retain_graph_;
};

// Gradients are never changed in place: two edges may have been given one.
bool Pass::add(uint32_t place, PyObject* part) {
  Ref& held = place % 2 ? at_leaf_[place / 2] : at_node_[place / 2];
  held = held ? Ref(PyNumber_Add(held.get(), part)) : Ref::to(part);
  return bool(held);
}

// The gradients of the roots; and whether leaves may be written here, without the accumulator.
bool Pass::start(PyObject* grads) {
  for (size_t i = 0; i < plan_.roots.size(); ++i) {
    PyObject* const grad = PyList_GET_ITEM(grads, static_cast<Py_ssize_t>(i));
    if (!add(plan_.roots[i], tensor(grad)->array)) return false;
  }
  if (reinterpret_cast<PyObject*>(Py_TYPE(accumulator_)) != accumulate_class) return true;
  const Ref only(PyObject_GetAttr(accumulator_, only_name));
  if (!only) return false;
  if (only.get() != Py_None) return true;
  before_ = Ref(PyObject_GetAttr(accumulator_, before_name));
  return bool(before_);
}

// The whole pass: newest node first, each leaf as soon as its gradient is complete.
bool Pass::run(PyObject* grads) {
  if (!start(grads)) return false;
  size_t next = 0;
  for (const uint32_t place : plan_.order) {
    const Plan::Step& step = plan_.nodes[place];
    if (at_node_[place] && !walk(step, std::move(at_node_[place]))) return false;
    const long long number = node(step.node.get())->number;
    while (next < plan_.complete.size() && plan_.leaves[plan_.complete[next]].last_use == number) {
      if (!hand_over(plan_.complete[next++])) return false;
    }
  }
  while (next < plan_.complete.size()) {  // roots that are leaves
    if (!hand_over(plan_.complete[next++])) return false;
  }
  return true;
}

// One node: its hooks, if it has any; its kernel; and the parts to where its inputs came from.
bool Pass::walk(const Plan::Step& step, Ref grad) {
  PyObject* const self = step.node.get();
  if (node(self)->hooks != Py_None) {
    PyObject* const args[] = {self, grad.get(), accumulator_, Py_True, Py_None};
    grad = Ref(PyObject_Vectorcall(show_gradient, args, 5, nullptr));
    if (!grad) return false;
  }
  Ref parts;
  if (PyList_GET_SIZE(watchers) > 0 || node(self)->hooks != Py_None) {
    const Ref kernel(PyObject_GetAttr(self, kernel_name));
    if (!kernel) return false;
    PyObject* const args[] = {self, kernel.get(), grad.get()};
    parts = Ref(PyObject_Vectorcall(backward_with_hooks, args, 3, nullptr));
  } else {
    PyObject* const args[] = {self, grad.get()};
    parts = Ref(PyObject_VectorcallMethod(kernel_name, args, 2, nullptr));
  }
  if (!parts) return false;
  grad = Ref();  // only what has arrived is held now
  if (!share(step, parts)) return false;
  PyObject* const kept = node(self)->kept;
  if (!retain_graph_ && kept != nullptr && kept != Py_None) {
    const int any = PyObject_IsTrue(kept);
    if (any < 0) return false;
    if (any) Py_XSETREF(node(self)->kept, Py_NewRef(Py_None));
  }
  return true;
}

// Adds what a node returned to the gradients of its inputs.
bool Pass::share(const Plan::Step& step, const Ref& parts) {
  const bool is_listed = PyTuple_Check(parts.get()) || PyList_Check(parts.get());
  const Ref listed = is_listed ? Ref::to(parts.get()) : Ref(PySequence_List(parts.get()));
  if (!listed) return false;
  for (uint32_t i = 0; i < step.edges; ++i) {
    if (i >= static_cast<uint32_t>(PySequence_Fast_GET_SIZE(listed.get()))) break;
    const Ref part = Ref::to(PySequence_Fast_GET_ITEM(listed.get(), static_cast<Py_ssize_t>(i)));
    const uint32_t place = plan_.places[step.first_edge + i];
    if (place != Plan::kNowhere && part.get() != Py_None && !add(place, part.get())) return false;
  }
  return true;
}

// The frequent case of `AccumulateGrad`: the first gradient of a leaf, held by nobody else.
bool Pass::write_first(Tensor* leaf, PyObject* grad) {
  PyObject* const self = reinterpret_cast<PyObject*>(leaf);
  const Ref hooks = Ref::to(leaf->hooks);
  const Ref written = wrapped(grad, Py_False, Py_None);
  const Ref note(written ? PyTuple_Pack(3, self, Py_None, Py_None) : nullptr);
  if (!note || PyList_Append(before_.get(), note.get()) < 0) return false;
  Py_XSETREF(leaf->grad, Py_NewRef(written.get()));
  if (hooks.get() == Py_None) return true;
  PyObject* const args[] = {hooks.get(), self};
  return bool(Ref(PyObject_VectorcallMethod(run_accumulated_name, args, 2, nullptr)));
}

// Whether a leaf has hooks that see its gradient before it is written: 1 or 0; -1 with an error.
int shows_arriving(Tensor* leaf) {
  if (leaf->hooks == Py_None) return 0;
  const Ref hooks(PyObject_GetAttr(leaf->hooks, arriving_name));
  return hooks ? PyObject_IsTrue(hooks.get()) : -1;
}

// Gives the complete gradient of a leaf to the accumulator, unless it is simply its first one.
bool Pass::hand_over(uint32_t place) {
  const Ref grad = std::move(at_leaf_[place]);
  if (!grad) return true;
  PyObject* const self = plan_.leaves[place].tensor.get();
  Tensor* leaf = tensor(self);
  const bool is_first = before_ && is_whole(self) && requires_grad(self) && leaf->grad == Py_None;
  const int is_ours = is_first ? is_unshared(grad.get()) : 0;
  if (is_ours < 0) return false;
  if (is_ours) {
    const int fits = alike(grad.get(), leaf->array);
    const int shown = fits < 0 ? -1 : shows_arriving(leaf);
    if (shown < 0) return false;
    if (fits && !shown) return write_first(leaf, grad.get());
  }
  PyObject* const args[] = {self, grad.get()};
  return bool(Ref(PyObject_Vectorcall(accumulator_, args, 2, nullptr)));
}

// Whether roots and grads are what `backward` makes: two lists, the second of tensors.
bool are_starts(PyObject* roots, PyObject* grads) {
  if (!PyList_CheckExact(roots) || !PyList_CheckExact(grads)) return false;
  if (PyList_GET_SIZE(roots) != PyList_GET_SIZE(grads)) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(grads); ++i) {
    if (!is_whole(PyList_GET_ITEM(grads, i))) return false;
  }
  return true;
}
}  // namespace

// At import: what engine/engine.py calls the functions that a pass may need.
bool read_run_text() {
  PyObject* const text = run_text.get();
  watchers = global_of(text, "watchers").release();
  show_gradient = global_of(text, "show_gradient").release();
  backward_with_hooks = global_of(text, "backward_with_hooks").release();
  accumulate_class = global_of(text, "AccumulateGrad").release();
  kernel_name = PyUnicode_InternFromString("kernel");
  only_name = PyUnicode_InternFromString("_only");
  before_name = PyUnicode_InternFromString("_before");
  arriving_name = PyUnicode_InternFromString("arriving");
  run_accumulated_name = PyUnicode_InternFromString("run_accumulated");
  return watchers && show_gradient && backward_with_hooks && accumulate_class && kernel_name &&
         only_name && before_name && arriving_name && run_accumulated_name;
}

// One backward pass, if it is an ordinary one.
PyObject* run(const Call& call) {
  static const char* const names[] = {"roots",        "grads",        "accumulator",
                                      "retain_graph", "create_graph", "targets"};
  Arguments<6> given;
  ModeRecord* const mode = thread_mode();
  if (mode == nullptr) return nullptr;
  if (!given.fit(call, names, 5) || given.at[4] != Py_False ||
      (given.at[5] != nullptr && given.at[5] != Py_None))
    return run_text(call);
  const int composite = mode->is(kComposite);  // these two may run Python: the lists come after
  const int retain_graph = composite < 0 ? -1 : PyObject_IsTrue(given.at[3]);
  if (retain_graph < 0) return nullptr;
  if (composite || !are_starts(given.at[0], given.at[1])) return run_text(call);
  try {
    Plan plan;
    if (!plan.make(given.at[0])) return run_text(call);
    const PassMode on_arrays(mode);
    Pass pass(std::move(plan), given.at[2], retain_graph);
    if (!pass.run(given.at[1])) return nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  Py_RETURN_NONE;
}
}  // namespace norch
