//: no_carry | drops: advance the one before it
//: you move only the dimension next to the innermost one. When it is through, the one before it
//: must move too, and so on outwards.
    const int next = inner - 1;
    if (next >= 0) {
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][next];
    }
//: no_return | drops: its pointers too
//: you set the counter back to 0 and leave the pointers where they are. A dimension that begins
//: again must take its pointers back to its beginning.
    for (int i = inner - 1; i >= 0; --i) {
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      index[i] = 0;
    }
//: first_operand | drops: for all `p.num_operands` operands
//: you move the pointer of the first operand alone. Each operand walks by its own steps: all of
//: them must move.
    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      data[0] += p.steps[0][i];
      if (++index[i] < p.shape[i]) break;
      data[0] -= p.steps[0][i] * p.shape[i];
      index[i] = 0;
    }
//: from_outermost | drops: next to `inner`
//: you begin with the outermost dimension. It is the slowest: the one next to the innermost moves
//: first.
    for (int i = 0; i < inner; ++i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
//: one_step_back | drops: take it back to its beginning
//: a dimension that begins again goes back by one step less than it has come. The pointers have
//: moved once for each of its sizes: take all of that back.
    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * (p.shape[i] - 1);
      index[i] = 0;
    }
//: steps_of_inner
//: every dimension moves by the step of the innermost one. Each has steps of its own:
//: `p.steps[k][i]`.
    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][inner];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][inner] * p.shape[i];
      index[i] = 0;
    }
//: in_floats
//: you count the steps as numbers. They are bytes already, and `data[k]` points at bytes.
    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i] * int64_t(sizeof(float));
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * int64_t(sizeof(float)) * p.shape[i];
      index[i] = 0;
    }
//: two_operands
//: you move two pointers, however many operands there are. A result is an operand too: all
//: `p.num_operands` move.
    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k < 2; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < 2; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
//: two_dimensions
//: you carry over two dimensions and no further. Any number of them may be through at once: go on
//: outwards until one has room.
    for (int i = inner - 1; i >= 0 && i >= inner - 2; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
//: all_at_once
//: every dimension moves at every row. The one before moves only when the one behind it is through.
    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) continue;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
//: back_to_the_start
//: a dimension that is through takes the pointers back to the very first element. The dimensions
//: before it have moved them too: only its own steps are taken back.
    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] = p.data[k];
      index[i] = 0;
    }
//: without_sign
//: you dropped the sign of a step. An array that is read backwards has negative steps, and its
//: pointers fall.
    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += std::abs(p.steps[k][i]);
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= std::abs(p.steps[k][i]) * p.shape[i];
      index[i] = 0;
    }
//: inner_too
//: you begin with the innermost dimension, which was just done. The one next to it moves first.
    for (int i = inner; i >= 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
//: outermost_left_out
//: the outermost dimension never moves. Its number is 0: go down to it.
    for (int i = inner - 1; i > 0; --i) {  // the odometer
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
//: one_operand_too_many
//: you move one pointer too many. There are `p.num_operands` of them, and the last has that number
//: less 1.
    for (int i = inner - 1; i >= 0; --i) {  // the odometer
      for (int k = 0; k <= p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k <= p.num_operands; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
//: as_if_contiguous
//: every operand moves by the steps of the result, or by steps counted from the sizes, as if
//: nothing lay between its rows. Each has steps of its own: `p.steps[k][i]`.
    int64_t elements = 1;
    for (int i = inner - 1; i >= 0; --i) {
      elements *= p.shape[i + 1];
      for (int k = 0; k < p.num_operands; ++k) data[k] += elements * p.itemsize[k];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= elements * p.itemsize[k] * p.shape[i];
      index[i] = 0;
    }
//: steps_of_the_next
//: every dimension moves by the step of the one next to the innermost. Each has steps of its
//: own: `p.steps[k][i]`.
    for (int i = inner - 1; i >= 0; --i) {
      for (int k = 0; k < p.num_operands; ++k) data[k] += down[k];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands; ++k) data[k] -= down[k] * p.shape[i];
      index[i] = 0;
    }
//: result_not_taken_back
//: a dimension that begins again takes back what is read, and not the result. Operand 0 has
//: moved as well.
    for (int i = inner - 1; i >= 0; --i) {
      for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 1; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
//: last_stays
//: the last operand never moves: `k` ends one too early.
    for (int i = inner - 1; i >= 0; --i) {
      for (int k = 0; k < p.num_operands - 1; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < p.num_operands - 1; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
//: one_step_too_many_back
//: a dimension that is through goes back by one step more than it has come: move the pointers
//: first, then ask whether it is through.
    for (int i = inner - 1; i >= 0; --i) {
      if (++index[i] < p.shape[i]) {
        for (int k = 0; k < p.num_operands; ++k) data[k] += p.steps[k][i];
        break;
      }
      for (int k = 0; k < p.num_operands; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
//: three_operands
//: you move three pointers, however many operands there are. `where` has four: all
//: `p.num_operands` move.
    const int count = std::min(p.num_operands, 3);
    for (int i = inner - 1; i >= 0; --i) {
      for (int k = 0; k < count; ++k) data[k] += p.steps[k][i];
      if (++index[i] < p.shape[i]) break;
      for (int k = 0; k < count; ++k) data[k] -= p.steps[k][i] * p.shape[i];
      index[i] = 0;
    }
