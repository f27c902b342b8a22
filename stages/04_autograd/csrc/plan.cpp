// Planning runs no Python and lets nobody else run, so the marks that it leaves in nodes and
// leaves, to find them again, are its own until it is done.
#include <algorithm>

#include "pass.h"

namespace norch {
// Finds, or gives, the place of a node or leaf in the pass; notes the oldest node that uses a leaf.
bool Plan::visit(PyObject* edge, long long user, uint32_t* place) {
  if (is_node(edge)) {
    Mark& mark = node(edge)->mark;
    if (mark.plan != number_) {
      PyObject* const edges = node(edge)->edges;
      if (edges == nullptr || !PyTuple_CheckExact(edges)) return false;
      mark = {number_, static_cast<uint32_t>(nodes.size())};
      nodes.push_back({Ref::to(edge), 0, 0});
    }
    *place = 2 * mark.place;
    return true;
  }
  if (!is_whole(edge)) return false;
  Mark& mark = tensor(edge)->mark;
  if (mark.plan != number_) {
    mark = {number_, static_cast<uint32_t>(leaves.size())};
    leaves.push_back({Ref::to(edge), user});
  }
  long long& oldest = leaves[mark.place].last_use;
  if (user >= 0 && (oldest < 0 || user < oldest)) oldest = user;
  *place = 2 * mark.place + 1;
  return true;
}

// Which nodes lie behind the roots, in which order they run, and when each leaf is complete.
bool Plan::make(PyObject* given) {
  static uint64_t plans = 0;  // guarded by the GIL
  number_ = ++plans;
  // Depth first, the last edge first, as the text goes: leaves that are complete together are
  // handed over in the order in which they were found.
  std::vector<uint32_t> stack;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(given); ++i) {
    PyObject* const root = PyList_GET_ITEM(given, i);
    if (!is_node(root)) continue;
    const size_t known = nodes.size();
    uint32_t place;
    if (!visit(root, -1, &place)) return false;
    if (nodes.size() > known) stack.push_back(place / 2);
  }
  while (!stack.empty()) {
    const uint32_t at = stack.back();
    stack.pop_back();
    const Node* user = node(nodes[at].node.get());
    PyObject* const edges = user->edges;
    nodes[at].first_edge = static_cast<uint32_t>(places.size());
    nodes[at].edges = static_cast<uint32_t>(PyTuple_GET_SIZE(edges));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(edges); ++i) {
      PyObject* const edge = PyTuple_GET_ITEM(edges, i);
      uint32_t place = kNowhere;
      const size_t known = nodes.size();
      if (edge != Py_None && !visit(edge, user->number, &place)) return false;
      if (nodes.size() > known) stack.push_back(place / 2);
      places.push_back(place);
    }
  }
  for (uint32_t k = 0; k < leaves.size(); ++k) complete.push_back(k);
  const auto later = [&](uint32_t a, uint32_t b) {
    return leaves[a].last_use > leaves[b].last_use;
  };
  std::stable_sort(complete.begin(), complete.end(), later);
  for (uint32_t k = 0; k < nodes.size(); ++k) order.push_back(k);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return node(nodes[a].node.get())->number > node(nodes[b].node.get())->number;
  });
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(given); ++i) {  // leaves among them come last
    uint32_t place;
    if (!visit(PyList_GET_ITEM(given, i), -1, &place)) return false;
    roots.push_back(place);
  }
  for (uint32_t k = static_cast<uint32_t>(complete.size()); k < leaves.size(); ++k)
    complete.push_back(k);
  return true;
}
}  // namespace norch
