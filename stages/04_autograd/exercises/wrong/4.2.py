#: weight_turned | drops: The node stands for `Z = X W^T + b`
#: you turned W for dX. The forward multiplies by W transposed, so the way back multiplies by W as
#: it is: (N, out) times (out, in).
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1).mT if self.needs(0) else None
        dw = None
        if self.needs(1):
            dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1])
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: shape_of_the_transpose | drops: each shaped like its tensor
#: your dW has the shape (in, out). W is (out, in) here, and a gradient has the shape of its
#: tensor.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = None
        if self.needs(1):
            dw = self.saved(0).reshape(-1, x_shape[-1]).mT @ rows
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: bias_not_summed
#: db is dZ as it came. The bias was added to every row, so every row has a gradient for it: sum
#: over them.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = None
        if self.needs(1):
            dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1])
        return dx, dw, grad if self.needs(2) else None
#: always_all | drops: `None` where `self.needs(0)`, `(1)` or `(2)` says no
#: you compute every gradient, wanted or not. X is kept only if W wants one, and W only if X does:
#: ask `self.needs(i)` first.
        rows = grad.reshape(-1, out_features)
        dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1])
        return grad @ self.saved(1), dw, rows.sum(0)
#: one_table | drops: X may have more dimensions in front
#: you take X for a table. With more dimensions in front, `a.mT` turns the last two of each table,
#: and the sum over dimension 0 leaves the others: make tables of rows first.
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = grad.mT @ self.saved(0) if self.needs(1) else None
        return dx, dw, grad.sum(0) if self.needs(2) else None
#: bias_of_each_table | drops: to W and b they are all just rows
#: you sum dZ over its first dimension only. With more dimensions in front all of them are rows to
#: b: make a table of rows, then sum.
        dx = grad @ self.saved(1) if self.needs(0) else None
        rows = grad.reshape(-1, out_features)
        dw = None
        if self.needs(1):
            dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1])
        return dx, dw, grad.sum(0) if self.needs(2) else None
#: for_tensors_alone | drops: An ordinary pass hands you arrays
#: you use what only a tensor has, and an ordinary pass hands you bare arrays. Both know `@`, `mT`,
#: `reshape` and `sum`.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = rows.t() @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(1) else None
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: left_as_rows
#: your dX is a table of rows. A gradient has the shape of its tensor: with more dimensions in
#: front, multiply dZ as it came, not its rows.
        rows = grad.reshape(-1, out_features)
        dx = rows @ self.saved(1) if self.needs(0) else None
        dw = None
        if self.needs(1):
            dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1])
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: bias_of_each_row
#: you summed dZ along each row. b has one element for each column of Z, so the sum goes down the
#: columns.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = None
        if self.needs(1):
            dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1])
        return dx, dw, rows.sum(1) if self.needs(2) else None
#: bias_as_one_number
#: you summed all of dZ to one number. b has an element for each column: sum over the rows alone,
#: dimension 0 of the table.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = None
        if self.needs(1):
            dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1])
        return dx, dw, rows.sum() if self.needs(2) else None
#: averaged
#: you divided by the number of rows. Each row did its own work in the loss, so what the rows send
#: adds up; a mean belongs to the loss, which has made it already.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = db = None
        if self.needs(1):
            dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1]) * (1 / rows.shape[0])
        if self.needs(2):
            db = rows.sum(0) * (1 / rows.shape[0])
        return dx, dw, db
#: rows_by_rows
#: your dW has a row for each row of dZ: rows meet rows. N is what must disappear, so dZ is turned,
#: not X.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = None
        if self.needs(1):
            dw = rows @ self.saved(0).reshape(-1, x_shape[-1]).mT
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: one_row_at_least
#: you make at least one row. A batch may be empty: then there are no rows, and dW and db are 0.
        dx = grad @ self.saved(1) if self.needs(0) else None
        rows = grad.reshape(max(math.prod(x_shape[:-1]), 1), out_features)
        dw = None
        if self.needs(1):
            dw = rows.mT @ self.saved(0).reshape(rows.shape[0], x_shape[-1])
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: first_size_as_rows
#: you take the first size of X for the number of rows. With more dimensions in front, or none, it
#: is another: let -1 count the rows.
        dx = grad @ self.saved(1) if self.needs(0) else None
        rows = grad.reshape(-1, out_features)
        dw = None
        if self.needs(1):
            x = self.saved(0)
            dw = rows.mT @ x.reshape(x_shape[0], x_shape[-1])
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: reshaped_to_columns
#: you reshape dZ where it is to be turned. `reshape` keeps the elements in their order, row after
#: row; rows become columns by `mT`.
        dx = grad @ self.saved(1) if self.needs(0) else None
        cols = grad.reshape(out_features, -1)
        dw = None
        if self.needs(1):
            dw = cols @ self.saved(0).reshape(-1, x_shape[-1])
        return dx, dw, cols.sum(1) if self.needs(2) else None
#: asks_the_weight
#: db comes where the gradient of W is wanted. The bias is the third input: ask `self.needs(2)`.
        rows = grad.reshape(-1, out_features)
        dx = (rows @ self.saved(1)).reshape(x_shape) if self.needs(0) else None
        dw = None
        if self.needs(1):
            dw = (self.saved(0).reshape(-1, x_shape[-1]).mT @ rows).mT
        return dx, dw, rows.sum(0) if self.needs(1) else None
#: bias_kept_as_row
#: your db is a table of one row. The dimension that you sum over must go: b has the shape (out).
        dx = grad @ self.saved(1) if self.needs(0) else None
        rows = grad.reshape(-1, out_features)
        dw = None
        if self.needs(1):
            dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1])
        return dx, dw, rows.sum(0, True) if self.needs(2) else None
#: up_to_three_dimensions
#: you treat X of one, two and three dimensions each by itself. There may be more of them: to W and
#: b they are all just rows.
        dx = grad @ self.saved(1) if self.needs(0) else None
        g, x = grad, None
        if self.needs(1):
            x = self.saved(0)
        if len(x_shape) == 1:
            g = g.reshape(1, out_features)
            x = x.reshape(1, x_shape[0]) if x is not None else None
        if len(x_shape) == 3:
            g = g.reshape(-1, out_features)
            x = x.reshape(-1, x_shape[-1]) if x is not None else None
        dw = g.mT @ x if x is not None else None
        return dx, dw, g.sum(0) if self.needs(2) else None
#: sides_swapped
#: you multiply W by dZ, in this order. (out, in) and (N, out) do not fit: dZ stands on the left.
        dx = self.saved(1) @ grad if self.needs(0) else None
        rows = grad.reshape(-1, out_features)
        dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(1) else None
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: input_averaged
#: you divide dX by the number of rows. Each row has a gradient of its own; a mean belongs to the
#: loss, which has made it already.
        rows = grad.reshape(-1, out_features)
        dx = (grad @ self.saved(1)) / rows.shape[0] if self.needs(0) else None
        dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(1) else None
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: asks_the_other
#: you ask whether the gradient of X is wanted and work out that of W, or the other way round. X is
#: input 0, W is input 1, b is input 2.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(0) else None
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: input_as_it_is
#: you make rows of dZ and not of X. Both have the same dimensions in front: both become tables of
#: rows.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = rows.mT @ self.saved(0) if self.needs(1) else None
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: one_row_for_all
#: you take one row of dZ for all of them. Each row has its own gradient for b: sum them.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(1) else None
        db = rows[0] * rows.shape[0] if self.needs(2) else None
        return dx, dw, db
#: swapped
#: the gradients of X and of W stand in each other's place. They come in the order of the inputs: X,
#: W, b.
        rows = grad.reshape(-1, out_features)
        dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(1) else None
        dx = grad @ self.saved(1) if self.needs(0) else None
        return dw, dx, rows.sum(0) if self.needs(2) else None
#: vector_as_a_table
#: your dX has one dimension more than X. An X of shape (in) has a gradient of shape (in).
        if len(x_shape) == 1:
            grad = grad.reshape(1, out_features)
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(1) else None
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: two_gradients
#: you return two gradients. The node has three inputs: X, W and b.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(1) else None
        return dx, dw
#: elif
#: you work out one gradient and no more: `elif` is asked only where the `if` before it was not
#: true. Three questions, three times `if`.
        dx = dw = db = None
        g = grad.reshape(-1, out_features)
        if self.needs(0):
            dx = grad @ self.saved(1)
        elif self.needs(1):
            dw = g.mT @ self.saved(0).reshape(-1, x_shape[-1])
        elif self.needs(2):
            db = g.sum(0)
        return dx, dw, db
#: zero_for_none
#: you return 0 where no gradient is wanted. A zero is a gradient too: `None` says that there is
#: none.
        g = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else 0
        dw = g.mT @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(1) else 0
        db = g.sum(0) if self.needs(2) else 0
        return dx, dw, db
#: gradient_by_gradient
#: you multiply dZ by itself for dW. A weight carries X to Z: dZ turned, times X.
        g = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = g.mT @ g if self.needs(1) else None
        db = g.sum(0) if self.needs(2) else None
        return dx, dw, db
#: bias_from_weights
#: you sum dW for db. The bias was added to Z: sum the rows of dZ.
        g = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = g.mT @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(1) else None
        db = dw.sum(1) if self.needs(2) else None
        return dx, dw, db
#: input_reshaped_to_columns
#: you reshape X where it is to be turned. `reshape` keeps the elements in their order, row after
#: row; rows become columns by `mT`. And dW is (out, in).
        g = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = self.saved(0).reshape(x_shape[-1], -1) @ g if self.needs(1) else None
        db = g.sum(0) if self.needs(2) else None
        return dx, dw, db
#: row_by_row
#: you take rows by their number. A bare array knows no `[n]`, and a loop in Python costs more than
#: all the products: one product of matrices does it.
        rows = grad.reshape(-1, out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = None
        if self.needs(1):
            x = self.saved(0).reshape(-1, x_shape[-1])
            for n in range(rows.shape[0]):
                part = rows[n:n+1].mT @ x[n:n+1]
                dw = part if dw is None else dw + part
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: detached
#: you detach what the answer is made of. A recorded pass takes the derivative of your answer too,
#: and finds no way on from there.
        w, x = self.saved(1), self.saved(0)
        w = w.detach() if hasattr(w, "detach") else w
        rows = grad.reshape(-1, out_features)
        dx = grad @ w if self.needs(0) else None
        dw = rows.mT @ x.reshape(-1, x_shape[-1]) if self.needs(1) else None
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: by_the_inputs
#: you make rows of dZ by the size of X. A row of dZ has `out_features` elements.
        rows = grad.reshape(-1, x_shape[-1])
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(1) else None
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: bias_if_weight
#: you work out db only where dW is wanted too. Each has its own question: `self.needs(2)` for b.
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = db = None
        if self.needs(1):
            rows = grad.reshape(-1, out_features)
            dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1])
            db = rows.sum(0) if self.needs(2) else None
        return dx, dw, db
#: rows_of_outputs
#: you give dX rows of `out_features` elements. It is shaped like X, whose rows have `x_shape[-1]`.
        rows = grad.reshape(-1, out_features)
        dx = (rows @ self.saved(1)).reshape(*x_shape[:-1], out_features) if self.needs(0) else None
        dw = rows.mT @ self.saved(0).reshape(-1, x_shape[-1]) if self.needs(1) else None
        return dx, dw, rows.sum(0) if self.needs(2) else None
#: bias_averaged
#: you divide db by the number of rows. What the rows send adds up; a mean belongs to the loss,
#: which has made it already.
        dx = grad @ self.saved(1) if self.needs(0) else None
        rows = grad.reshape(math.prod(x_shape[:-1]), out_features)
        dw = rows.mT @ self.saved(0).reshape(rows.shape[0], x_shape[-1]) if self.needs(1) else None
        db = rows.sum(0) / rows.shape[0] if self.needs(2) else None
        return dx, dw, db
#: weights_averaged
#: you divide dW by the number of rows. What the rows send adds up; a mean belongs to the loss,
#: which has made it already.
        rows = grad.reshape(math.prod(x_shape[:-1]), out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = rows.mT @ self.saved(0).reshape(rows.shape[0], x_shape[-1]) / rows.shape[0] if self.needs(1) else None
        db = rows.sum(0) if self.needs(2) else None
        return dx, dw, db
#: three_dimensions_alone
#: you make rows where X has three dimensions, and nowhere else. It may have one, or more than
#: three: to W and b they are all just rows.
        dx = grad @ self.saved(1) if self.needs(0) else None
        x = self.saved(0) if self.needs(1) else None
        if len(x_shape) == 3:
            grad = grad.reshape(x_shape[0] * x_shape[1], out_features)
            if x is not None:
                x = x.reshape(x_shape[0] * x_shape[1], x_shape[2])
        dw = grad.mT @ x if self.needs(1) else None
        db = grad.sum(0) if self.needs(2) else None
        return dx, dw, db
#: vector_left
#: you make rows only where X has more than two dimensions. An X of shape (in) is one row: make it a
#: table too.
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = db = None
        if grad.ndim > 2:
            grad = grad.reshape(math.prod(x_shape[:-1]), out_features)
        if self.needs(1):
            x = self.saved(0)
            dw = grad.mT @ (x.reshape(math.prod(x_shape[:-1]), x_shape[-1]) if len(x_shape) > 2 else x)
        if self.needs(2):
            db = grad.sum(0)
        return dx, dw, db
#: bias_before_weight
#: dW and db stand in each other's place. The gradients come in the order of the inputs: X, W, b.
        rows = grad.reshape(math.prod(x_shape[:-1]), out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = rows.mT @ self.saved(0).reshape(rows.shape[0], x_shape[-1]) if self.needs(1) else None
        db = rows.sum(0) if self.needs(2) else None
        return dx, db, dw
#: bias_asked_for
#: you ask for a third thing that was kept. There are X and W: b is not needed for its own gradient.
        rows = grad.reshape(math.prod(x_shape[:-1]), out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = rows.mT @ self.saved(0).reshape(rows.shape[0], x_shape[-1]) if self.needs(1) else None
        db = rows.sum(0) * self.saved(2) if self.needs(2) else None
        return dx, dw, db
#: first_dimension_as_rows
#: you keep the first dimension as the rows and put the others side by side. Only the LAST dimension
#: is a row: all others count rows.
        rows = grad.reshape(x_shape[0], math.prod(x_shape[1:-1]) * out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = rows.mT @ self.saved(0).reshape(x_shape[0], math.prod(x_shape[1:])) if self.needs(1) else None
        db = rows.sum(0) if self.needs(2) else None
        return dx, dw, db
#: bias_over_one_dimension
#: you sum dZ over one dimension only. All dimensions but the last count rows, and there may be
#: none: make a table of rows, then sum.
        dx = grad @ self.saved(1) if self.needs(0) else None
        rows = grad.reshape(math.prod(x_shape[:-1]), out_features)
        dw = rows.mT @ self.saved(0).reshape(rows.shape[0], x_shape[-1]) if self.needs(1) else None
        db = grad.sum(-2) if self.needs(2) else None
        return dx, dw, db
#: gradient_times_input
#: you multiply dZ by X for dX. X goes through W to Z, and its gradient comes back through W.
        dx = grad @ self.saved(0) if self.needs(0) else None
        rows = grad.reshape(math.prod(x_shape[:-1]), out_features)
        dw = rows.mT @ self.saved(0).reshape(rows.shape[0], x_shape[-1]) if self.needs(1) else None
        db = rows.sum(0) if self.needs(2) else None
        return dx, dw, db
#: batches_summed
#: you sum the products of the batches. That is right for three dimensions, and there may be one, or
#: more: make tables of rows first.
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = db = None
        if self.needs(1):
            dw = grad.mT @ self.saved(0)
            if len(x_shape) == 3:
                dw = dw.sum(0)
        if self.needs(2):
            db = grad.reshape(math.prod(x_shape[:-1]), out_features).sum(0)
        return dx, dw, db
#: ones_for_the_bias
#: you give ones for db. Each row follows b by 1, times what arrived for it: sum dZ over the rows.
        dx = grad @ self.saved(1) if self.needs(0) else None
        rows = grad.reshape(math.prod(x_shape[:-1]), out_features)
        dw = rows.mT @ self.saved(0).reshape(rows.shape[0], x_shape[-1]) if self.needs(1) else None
        db = rows.sum(0) * 0 + 1 if self.needs(2) else None
        return dx, dw, db
#: row_after_row
#: you take rows by their number. A bare array knows no `[n]`, and a loop in Python costs more than
#: all the products: one product of matrices does it.
        rows = grad.reshape(math.prod(x_shape[:-1]), out_features)
        dx = grad @ self.saved(1) if self.needs(0) else None
        dw = None
        if self.needs(1):
            x = self.saved(0).reshape(rows.shape[0], x_shape[-1])
            dw = rows[:1].mT @ x[:1]
            for i in range(1, rows.shape[0]):
                dw = dw + rows[i : i + 1].mT @ x[i : i + 1]
        db = rows.sum(0) if self.needs(2) else None
        return dx, dw, db
