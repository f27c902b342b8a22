//: transposed
//: you exchanged the two strides of b, so you multiplied by b transposed. Walking down a column,
//: `l` counts rows.
    T sum = 0;
    for (i64 l = 0; l < k; l++) {
      sum += a[at(la, batch) + i * a_row + l * a_col] * b[at(lb, batch) + l * b_col + j * b_row];
    }
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: contiguous | drops: one row further is `a_row` elements further, one column `a_col`
//: you take the matrices for contiguous. A transposed view has the same memory and other strides:
//: use `a_row`, `a_col`, `b_row`, `b_col`.
    T sum = 0;
    for (i64 l = 0; l < k; l++) {
      sum += a[at(la, batch) + i * k + l] * b[at(lb, batch) + l * n + j];
    }
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: one_product | drops: the sum over `l`
//: each product takes the place of the one before it. The element is their sum.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum = a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: no_bias | drops: plus the bias of column j
//: you forgot the bias. `linear` hands one over: where there is one, it is added to the sum.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = sum;
//: first_matrix_of_a | drops: The matrix `a` of this batch begins at `a + at(la, batch)`
//: every batch reads the first matrix of `a`. The one of this batch begins at(la, batch) elements
//: further.
    const T* a_i = a + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: first_matrix_of_b | drops: The same with `b`
//: every batch reads the first matrix of `b`. The one of this batch begins at(lb, batch) elements
//: further.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: first_matrices
//: every batch reads the first matrices: all results are those of batch 0. `at(la, batch)` and
//: `at(lb, batch)` say how much further the matrices of this batch begin.
    const T* a_i = a + i * a_row;
    const T* b_j = b + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: dense_bias | drops: `bias[j * bias_step]`
//: you take the bias for contiguous. From one column's bias to the next it is `bias_step`
//: elements.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j];
//: bias_of_row
//: you took the bias of row i. There is one for each column.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[i * bias_step];
//: bias_always | drops: no bias is a `nullptr`
//: you read a bias where there is none. A `nullptr` points at nothing: ask before you follow it.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = sum + bias[j * bias_step];
//: float
//: you keep the sum in a float. T may be a double, or a whole number of 64 bits: keep it in a T.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    float sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: double
//: you keep the sum in a double. T may be a whole number of 64 bits, of which a double holds 53:
//: keep it in a T.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    double sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: int
//: you keep the sum in an int, which drops what stands behind the point. Keep it in a T.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    int sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: begins_with_a_product
//: you begin the sum with the first product. Where k is 0 there is none: begin with 0.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = a_i[0] * b_j[0];
    for (i64 l = 1; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: adds_to_out
//: you add to `out[o]` without having set it. New memory holds anything: begin with 0.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    for (i64 l = 0; l < k; l++) out[o] += a_i[l * a_col] * b_j[l * b_row];
    if (bias != nullptr) out[o] += bias[j * bias_step];
//: row_and_column_alone
//: you write to place i * n + j, the same in each batch. The thread answers for element `o`.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[i * n + j] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: to_n
//: you walk to n. Row i of `a` and column j of `b` have k elements each.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < n; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: bias_each_time
//: you add the bias with each product. It is added once, to the sum.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) {
      sum += a_i[l * a_col] * b_j[l * b_row];
      if (bias != nullptr) sum += bias[j * bias_step];
    }
    out[o] = sum;
//: one_too_many
//: the loop takes one step too many: the last `l` is k - 1.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l <= k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: one_too_few
//: the loop takes one step too few: the last `l` is k - 1.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k - 1; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: dense_batches
//: you count the batches as if each had memory of its own. A batch may be one matrix for all:
//: at(la, batch) and at(lb, batch) know.
    const T* a_i = a + batch * m * k + i * a_row;
    const T* b_j = b + batch * k * n + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: stored_in_the_loop
//: you store inside the loop. Where k is 0 nothing is stored, and the element is still a sum: 0.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) {
      sum += a_i[l * a_col] * b_j[l * b_row];
      out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
    }
//: skips_zeros
//: you leave out products with 0. 0 times infinity is no number (NaN), and it belongs to the
//: sum.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++)
      if (a_i[l * a_col] != T(0)) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: bias_alone
//: the bias takes the place of the sum. It is added to it.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : bias[j * bias_step];
//: layout_of_a
//: you look for the matrix of `b` with the layout of `a`. The two may walk over their batches
//: in other steps: `lb`.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(la, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: row_of_a_contiguous
//: you walk along a row of `a` from neighbour to neighbour. One column further is `a_col`
//: elements further.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l] * b_j[l * b_row];
    out[o] = bias == nullptr ? sum : sum + bias[j * bias_step];
//: bias_of_the_first_batch
//: you add the bias in the first batch alone. Column j has the same bias in each batch.
    const T* a_i = a + at(la, batch) + i * a_row;
    const T* b_j = b + at(lb, batch) + j * b_col;
    T sum = 0;
    for (i64 l = 0; l < k; l++) sum += a_i[l * a_col] * b_j[l * b_row];
    out[o] = bias == nullptr || batch > 0 ? sum : sum + bias[j * bias_step];
