// The forms of the functions that wrap a result and write its node: `wrap` and `plain`
// (graph/tensor_base.py), `edge_of` and `track_view` (graph/views.py), `attach_node`
// (graph/node.py), `keep`, `unary` and `record` (graph/record.py), `binary` and
// `binary_with_number` (graph/broadcast.py).
#pragma once

#include "text.h"

namespace norch {
extern Text set_tensor_class_text, wrap_text, plain_text, edge_of_text, track_view_text,
    attach_node_text, keep_text, unary_text, record_text, binary_text, binary_with_number_text;

PyObject* set_tensor_class(const Call& call);
PyObject* wrap(const Call& call);
PyObject* plain(const Call& call);
PyObject* edge_of(const Call& call);
PyObject* track_view(const Call& call);
PyObject* attach_node(const Call& call);
PyObject* keep(const Call& call);
PyObject* unary(const Call& call);
PyObject* record(const Call& call);
PyObject* binary(const Call& call);
PyObject* binary_with_number(const Call& call);

bool read_keep_text();
bool read_track_view_text();
}  // namespace norch
