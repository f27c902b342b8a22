//: no_upstream | drops: all of it times `g`
//: you left out g, the gradient from above. The loss may be weighted or averaged afterwards: every
//: gradient is multiplied by what comes in.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] /= sum;
      dx[target[i]] -= 1;
//: bare_one
//: you subtract 1 at the target, whatever g is. The whole gradient is multiplied by g, the 1 too.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= g / sum;
      dx[target[i]] -= 1;
//: no_target | drops: minus 1 at the target
//: you left out the 1 at the target. The loss has a term of its own for that number.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
//: no_stride | drops: the row's logsumexp
//: you took `lse` for contiguous. Its numbers lie `lse.strides[0]` apart.
      const T sum = sum_exp(x, classes, lse.data<T>()[i], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] -= g;
//: no_shift | drops: a good shift
//: you take exp of the numbers as they are. For numbers around -200 all terms are 0, and so is
//: their sum.
      const T sum = sum_exp(x, classes, T(0), dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] -= g;
//: first_row
//: you shift every row by the logsumexp of the first one. Each row has its own.
      const T sum = sum_exp(x, classes, lse.data<T>()[0], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] -= g;
//: plus_one
//: you add at the target. The loss falls when the target's number grows: its gradient is the
//: softmax minus 1.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] += g;
//: class_0
//: you subtract at the first class, whatever the target is. `target[i]` says which one it is in
//: row i.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[0] -= g;
//: first_target
//: every row takes the target of the first one. Row i has `target[i]`.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T scale = g / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[0]] -= g;
//: no_division
//: you take the terms as they are. The logsumexp is rounded, so they do not add up to 1: divide by
//: their sum.
      sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= g;
      dx[target[i]] -= g;
//: first_class_unscaled
//: g does not reach the first class. All classes are multiplied by it, from 0 on.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] /= sum;
      dx[target[i]] -= 1;
      for (int64_t j = 1; j < classes; ++j) dx[j] *= g;
//: target_before_division
//: you subtract the 1 before you divide by the sum of the terms. It is taken from the share, not
//: from the term.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      dx[target[i]] -= 1;
      for (int64_t j = 0; j < classes; ++j) dx[j] *= g / sum;
//: averaged
//: you divide by the number of rows. Whoever averages the losses has done so already: it is in `g`.
      const T rows = T(logits.shape[0]);
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= g / sum / rows;
      dx[target[i]] -= g / rows;
//: zero_left_unwritten
//: you return where g is 0, and leave the row as it is. Nobody else writes it: it is 0 there.
      if (g == 0) return;
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= g / sum;
      dx[target[i]] -= g;
//: turned_around
//: the whole gradient has the other sign. The loss grows with logsumexp and falls with the target's
//: number.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= -g / sum;
      dx[target[i]] += g;
//: one_class_too_many
//: you write a class that is not there: `classes` is the first one too many.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j <= classes; ++j) dx[j] *= g / sum;
      dx[target[i]] -= g;
//: without_sign
//: you dropped the sign of g. A loss may count negatively.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= std::abs(g) / sum;
      dx[target[i]] -= std::abs(g);
//: in_float32
//: you reckon in float32. T may be double, and its digits are lost.
      const float sum = float(sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx));
      for (int64_t j = 0; j < classes; ++j) dx[j] = T(float(dx[j]) * float(g) / sum);
      dx[target[i]] -= g;
//: target_times_x
//: you subtract the target's number. Its derivative is 1, whatever the number is.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= g / sum;
      dx[target[i]] -= g * x[target[i]];
//: logarithm
//: you take the logarithm of the softmax. The gradient of logsumexp is the softmax itself.
      const T shift = lse.data<T>()[i * lse.strides[0]];
      for (int64_t j = 0; j < classes; ++j) dx[j] = (x[j] - shift) * g;
      dx[target[i]] -= g;
//: g_twice
//: you multiply the softmax by g twice. Once is enough.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= g * g / sum;
      dx[target[i]] -= g;
//: factor_in_float32
//: you keep the factor in a float. T may be double, and its digits are lost.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const float scale = float(g / sum);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= scale;
      dx[target[i]] -= g;
//: sure_rows_left_out
//: you write zeros for a row that is nearly sure of its target. Its gradient is small and no 0:
//: the loss still falls along it.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const bool sure = dx[target[i]] / sum > T(0.999);
      for (int64_t j = 0; j < classes; ++j) dx[j] = sure ? T(0) : dx[j] * (g / sum);
      if (!sure) dx[target[i]] -= g;
//: last_class_unscaled
//: g and the sum do not reach the last class. All classes are multiplied, up to `classes` - 1.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes - 1; ++j) dx[j] *= g / sum;
      dx[target[i]] -= g;
//: target_alone
//: you write the target's gradient alone. The other numbers are in the logsumexp as well:
//: theirs is g times their softmax.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      const T at_target = dx[target[i]] / sum;
      for (int64_t j = 0; j < classes; ++j) dx[j] = 0;
      dx[target[i]] = (at_target - 1) * g;
//: over_the_classes
//: you divide by the number of classes. The loss of a row is one number, and no mean over
//: classes.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= g / sum;
      dx[target[i]] -= g;
      for (int64_t j = 0; j < classes; ++j) dx[j] /= T(classes);
//: as_a_sigmoid
//: you multiply by p (1 - p), as a sigmoid's gradient is. The loss takes the logarithm: what is
//: left is p, less 1 at the target.
      const T sum = sum_exp(x, classes, lse.data<T>()[i * lse.strides[0]], dx);
      for (int64_t j = 0; j < classes; ++j) {
        const T p = dx[j] / sum;
        dx[j] = g * p * (1 - p);
      }
      dx[target[i]] -= g;
//: first_as_shift
//: you shift by the row's first number. exp of what lies above it may be infinite: the logsumexp is
//: at least as large as all of them.
      const T sum = sum_exp(x, classes, x[0], dx);
      for (int64_t j = 0; j < classes; ++j) dx[j] *= g / sum;
      dx[target[i]] -= g;
