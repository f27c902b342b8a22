// The form of `run` (engine/engine.py): one backward pass that hands on arrays, from any outputs to
// leaves. A pass that is recorded, that was asked for certain gradients or runs inside
// `composite()` is the text's. Nothing outlives a pass and nothing is shared by two, so a pass may
// start inside another, or in another thread while a kernel of the first has let go of the GIL.
#pragma once

#include <vector>

#include "state.h"

namespace norch {
extern Text run_text;
bool read_run_text();
PyObject* run(const Call& call);

// The way of a pass, as `plan` of the text finds it. Places: nodes in `nodes`, leaves in `leaves`.
struct Plan {
  static constexpr uint32_t kNowhere = UINT32_MAX;  // an edge that is None
  struct Leaf {
    Ref tensor;
    long long last_use;  // the number of the oldest node that uses it; -1: a root that none does
  };
  struct Step {
    Ref node;
    uint32_t first_edge, edges;  // its part of `places`
  };

  std::vector<Step> nodes;
  std::vector<Leaf> leaves;
  std::vector<uint32_t> places;  // of each edge: of nodes 2 * place, of leaves 2 * place + 1
  std::vector<uint32_t> roots;
  std::vector<uint32_t> order;     // of nodes: newest first
  std::vector<uint32_t> complete;  // of leaves: in the order in which their gradients are

  // False where an edge is neither a node nor a tensor: the text will say so.
  bool make(PyObject* roots);

 private:
  uint64_t number_ = 0;
  bool visit(PyObject* edge, long long user, uint32_t* place);
};
}  // namespace norch
