#: own_factor | drops: stands for `x * y`
#: you multiplied each factor's gradient by the factor itself. A product follows x as strongly as y
#: is large: take the OTHER factor.
        dx = grad * self.saved(0) if self.needs(0) else None
        dy = grad * self.saved(1) if self.needs(1) else None
        return dx, dy
#: no_grad_factor | drops: `grad` is the gradient that arrived
#: you returned the other factor and forgot `grad`. That is right only for the last node; further
#: back, the gradient that arrives is another number, and each node multiplies by it.
        dx = self.saved(1) if self.needs(0) else None
        dy = self.saved(0) if self.needs(1) else None
        return dx, dy
#: always_both | drops: ask `self.needs(0)` and `self.needs(1)` first
#: you read a factor that was not kept. x is kept only if y wants a gradient, and y only if x does:
#: ask `self.needs(0)` before you read y, and `self.needs(1)` before you read x.
        return grad * self.saved(1), grad * self.saved(0)
#: swapped | drops: the gradients of `x` and of `y`, as a pair
#: both gradients are right and stand in each other's place. First comes the one of `x`, input 0,
#: then the one of `y`.
        dx = grad * self.saved(1) if self.needs(0) else None
        dy = grad * self.saved(0) if self.needs(1) else None
        return dy, dx
#: summed | drops: element by element
#: you summed over the elements. Element i of the product follows element i of each factor and no
#: other: a gradient has the shape of its tensor.
        dx = (grad * self.saved(1)).sum() if self.needs(0) else None
        dy = (grad * self.saved(0)).sum() if self.needs(1) else None
        return dx, dy
#: zero_for_none | drops: where no gradient is wanted, it is `None`
#: you return 0 where no gradient is wanted. A zero is a gradient too, and would be sent on and
#: added up: `None` says that there is none.
        dx = grad * self.saved(1) if self.needs(0) else 0
        dy = grad * self.saved(0) if self.needs(1) else 0
        return dx, dy
#: only_the_wanted
#: you return only the gradients that are wanted. The place in the pair says whose gradient it is:
#: keep both places, with `None` in one.
        found = []
        if self.needs(0):
            found.append(grad * self.saved(1))
        if self.needs(1):
            found.append(grad * self.saved(0))
        return tuple(found)
#: undone
#: you divide by the other factor, as if the way back undid the product. No value is undone: a
#: gradient asks how strongly the product FOLLOWS x, and that is y times.
        dx = grad / self.saved(1) if self.needs(0) else None
        dy = grad / self.saved(0) if self.needs(1) else None
        return dx, dy
#: as_a_sum
#: you send on what arrived, as a sum does. A product follows `x` as strongly as `y` is large.
        return grad if self.needs(0) else None, grad if self.needs(1) else None
#: in_place
#: you changed `grad` in place. The second gradient then starts from the first one, and others may
#: hold `grad` too: `*` makes a new tensor, `*=` does not.
        dx = dy = None
        if self.needs(0):
            dx = grad
            dx *= self.saved(1)
        if self.needs(1):
            dy = grad
            dy *= self.saved(0)
        return dx, dy
#: one_gradient
#: you return one tensor. A product has two factors, and a node answers with one gradient for each,
#: as a pair.
        return grad * self.saved(1)
#: one_of_both
#: you give one gradient where both factors want one. Work out each by its own question, then return
#: the pair.
        if self.needs(0):
            return grad * self.saved(1), None
        return None, grad * self.saved(0)
#: gradient_overwritten | drops: change neither
#: you write a factor's gradient over `grad`, or over a factor that was kept. Others hold both: `*`
#: makes something new, `*=` writes into what is there.
        dx = grad * self.saved(1) if self.needs(0) else None
        if not self.needs(1):
            return dx, None
        grad *= self.saved(0)
        return dx, grad
#: kept_overwritten
#: you write the gradient over a factor that was kept. Others hold it too, and a second pass reads
#: it again: `*` makes something new, `*=` writes into what is there.
        dx = dy = None
        if self.needs(0):
            dx = self.saved(1)
            dx *= grad
        if self.needs(1):
            dy = self.saved(0)
            dy *= grad
        return dx, dy
#: for_tensors_alone | drops: hands you bare arrays
#: you use what only a tensor has, and an ordinary pass hands you bare arrays. Both know `*`.
        dx = grad.mul(self.saved(1)) if self.needs(0) else None
        dy = grad.mul(self.saved(0)) if self.needs(1) else None
        return dx, dy
#: by_truth
#: you ask a factor whether it is true. Several numbers have no answer to that, and a factor of 0 is
#: kept like any other: ask `self.needs(i)`.
        dx = grad * self.saved(1) if self.saved(1) else None
        dy = grad * self.saved(0) if self.saved(0) else None
        return dx, dy
#: by_the_result
#: you divide by a factor on the way to a gradient. Where it is 0, 0 / 0 is no number: both factors
#: were kept, and nothing has to be divided.
        z = self.saved(0) * self.saved(1) * grad if self.needs(0) and self.needs(1) else None
        if z is not None:
            return z / self.saved(0), z / self.saved(1)
        dx = grad * self.saved(1) if self.needs(0) else None
        dy = grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: detached
#: you detach a factor. It may be a number, which has nothing to be detached from, and a second
#: derivative needs the way on: take the factor as it is.
        dx = grad * self.saved(1).detach() if self.needs(0) else None
        dy = grad * self.saved(0).detach() if self.needs(1) else None
        return dx, dy
#: through_the_other
#: you work out the second gradient from the first. Both begin with `grad`: they are two answers,
#: not two steps.
        dx = grad * self.saved(1) if self.needs(0) else None
        dy = dx * self.saved(0) if self.needs(1) and dx is not None else None
        return dx, dy
#: added
#: you add the other factor to `grad`. What arrived is multiplied by it: `grad` times the other
#: factor.
        dx = grad + self.saved(1) if self.needs(0) else None
        dy = grad + self.saved(0) if self.needs(1) else None
        return dx, dy
#: remembered
#: you keep something on the node from one call to the next. A second pass brings another `grad`:
#: begin anew each time.
        if not hasattr(self, "_cache"):
            self._cache = grad
        dx = self._cache * self.saved(1) if self.needs(0) else None
        dy = self._cache * self.saved(0) if self.needs(1) else None
        return dx, dy
#: matrix_product
#: you take a matrix product. The node multiplies element by element, and so does the way back: `*`.
        dx = grad @ self.saved(1) if self.needs(0) else None
        dy = grad @ self.saved(0) if self.needs(1) else None
        return dx, dy
#: arrived_summed
#: you sum what arrived. Each element of the gradient has its own: multiply element by element.
        dx = self.saved(1) * grad.sum() if self.needs(0) else None
        dy = self.saved(0) * grad.sum() if self.needs(1) else None
        return dx, dy
#: absolute
#: you take a factor without its sign. Where y is negative, the product falls when x grows.
        dx = grad * abs(self.saved(1)) if self.needs(0) else None
        dy = grad * abs(self.saved(0)) if self.needs(1) else None
        return dx, dy
#: zeros_for_none
#: you return zeros where no gradient is wanted. They are a gradient too, and would be sent on and
#: added up: `None` says that there is none.
        dx = grad * self.saved(1) if self.needs(0) else grad * 0
        dy = grad * self.saved(0) if self.needs(1) else grad * 0
        return dx, dy
#: as_a_dict
#: you return a dict. A node answers with a pair: whoever goes through a dict finds its keys.
        return {0: grad * self.saved(1) if self.needs(0) else None, 1: grad * self.saved(0) if self.needs(1) else None}
#: flattened
#: you flatten `grad`. A gradient has the shape of its tensor, and element by element nothing needs
#: another shape.
        dx = grad.reshape(-1) * self.saved(1) if self.needs(0) else None
        dy = grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: minus
#: one of your gradients has the wrong sign. A product follows x by y, not by minus y.
        dx = -grad * self.saved(1) if self.needs(0) else None
        dy = grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: doubled
#: your gradients are twice too large. A product follows x by y, once.
        dx = 2 * grad * self.saved(1) if self.needs(0) else None
        dy = 2 * grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: only_if_both
#: you answer only where both gradients are wanted. Each of the two may be wanted alone: ask for
#: each by itself.
        if self.needs(0) and self.needs(1):
            return grad * self.saved(1), grad * self.saved(0)
        return None, None
#: asks_for_x_alone
#: you ask for both gradients whether that of x is wanted. Each has its own question:
#: `self.needs(0)` and `self.needs(1)`.
        dx = grad * self.saved(1) if self.needs(0) else None
        dy = grad * self.saved(0) if self.needs(0) else None
        return dx, dy
#: second_undone
#: you divide by a factor to get one of the gradients. Both are products: `grad` times the other
#: factor.
        dx = grad * self.saved(1) if self.needs(0) else None
        dy = grad / self.saved(0) if self.needs(1) else None
        return dx, dy
#: one_in_a_tuple
#: you return one gradient. A product has two factors, and a node answers with one gradient for
#: each, as a pair.
        return grad * self.saved(1) if self.needs(0) else None,
#: both_factors
#: you multiply by both factors. A product follows x as strongly as y is large: the OTHER factor
#: alone.
        dx = grad * self.saved(1) * self.saved(0) if self.needs(0) else None
        dy = grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: saved_as_a_list
#: you write `self.saved[i]`. It is a method, not a list: `self.saved(i)`.
        dx = grad * self.saved[1] if self.needs(0) else None
        dy = grad * self.saved[0] if self.needs(1) else None
        return dx, dy
#: answer_flattened
#: you flatten the answer. A gradient has the shape of its tensor.
        dx = (grad * self.saved(1)).reshape(-1) if self.needs(0) else None
        dy = (grad * self.saved(0)).reshape(-1) if self.needs(1) else None
        return dx, dy
#: sum_as_a_number
#: you make one number of what arrived. Each element of the gradient has its own: multiply element
#: by element.
        g = float(grad.sum())
        dx = g * self.saved(1) if self.needs(0) else None
        dy = g * self.saved(0) if self.needs(1) else None
        return dx, dy
#: zero_is_nothing
#: you take a factor of 0 for none. It is kept like any other, and the gradient is then 0: ask
#: `self.needs(i)`.
        dx = grad * self.saved(1) if self.needs(0) and self.saved(1) is not 0 else None
        dy = grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: cut_off
#: you detach the factors. A recorded pass takes the derivative of your answer too, and finds no way
#: on from there.
        x, y = (v.detach() if hasattr(v, "detach") else v for v in (self.saved(0), self.saved(1)))
        return grad * y if self.needs(0) else None, grad * x if self.needs(1) else None
#: factor_if_both
#: you take the other factor only where its own gradient is wanted too. It is needed for THIS
#: gradient, whatever is wanted of the other.
        dx = grad * (self.saved(1) if self.needs(1) else 1) if self.needs(0) else None
        dy = grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: the_same_twice
#: both gradients are the same in your answer. Each is `grad` times the OTHER factor.
        z = grad * self.saved(0) * self.saved(1) if self.needs(0) and self.needs(1) else None
        dx = grad * self.saved(1) if self.needs(0) else None
        dy = dx if self.needs(1) and self.needs(0) else grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: empty_unasked
#: you return a gradient for both factors where there are no elements. Where none is wanted it is
#: `None`, also then.
        if 0 in grad.shape:
            return grad, grad
        dx = grad * self.saved(1) if self.needs(0) else None
        dy = grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: factor_squared
#: you square the other factor. A product follows x as strongly as y is large: y, once.
        dx = self.saved(1) ** 2 * grad if self.needs(0) else None
        dy = self.saved(0) ** 2 * grad if self.needs(1) else None
        return dx, dy
#: one_tensor_for_one
#: you return one tensor where one gradient is wanted. The answer is a pair, with `None` in the
#: other place.
        if self.needs(1):
            return grad * self.saved(1) if self.needs(0) else None, grad * self.saved(0)
        return grad * self.saved(1)
#: number_is_no_factor
#: you give x no gradient where y is a number. It is the number that has none: the product follows x
#: all the same.
        dx = dy = None
        if self.needs(0):
            y = self.saved(1)
            if not isinstance(y, (int, float)):
                dx = grad * y
        if self.needs(1):
            dy = grad * self.saved(0)
        return dx, dy
#: number_without_grad
#: where y is a number you forget `grad`. What arrived is multiplied by it as by any other factor.
        dx = dy = None
        if self.needs(0):
            y = self.saved(1)
            dx = y if isinstance(y, (int, float)) else grad * y
        if self.needs(1):
            dy = grad * self.saved(0)
        return dx, dy
#: false_for_none
#: you give False where no gradient is wanted: `and` returns what stands on its left. `None` says
#: that there is none.
        return self.needs(0) and grad * self.saved(1), self.needs(1) and grad * self.saved(0)
#: grad_multiplied_last
#: you write a gradient over `grad`. Others hold it: `*` makes something new, `*=` writes into what
#: is there.
        dx = dy = None
        if self.needs(1):
            dy = grad * self.saved(0)
        if self.needs(0):
            grad *= self.saved(1)
            dx = grad
        return dx, dy
#: zero_is_missing
#: you give no gradient where a factor is the number 0. It is a factor like any other, and makes a
#: gradient of 0.
        dx = dy = None
        if self.needs(0):
            y = self.saved(1)
            dx = grad * y if not isinstance(y, (int, float)) or y else None
        if self.needs(1):
            dy = grad * self.saved(0)
        return dx, dy
#: whole_numbers
#: you make a whole number of a factor. 0.5 is cut off to 0: take it as it is.
        dx = dy = None
        if self.needs(0):
            y = self.saved(1)
            dx = grad * (int(y) if isinstance(y, float) else y)
        if self.needs(1):
            dy = grad * self.saved(0)
        return dx, dy
#: square_to_one
#: you give everything to x where both factors are one tensor. Both are inputs of the node: each has
#: its own gradient.
        if self.needs(0) and self.needs(1) and self.saved(0) is self.saved(1):
            return grad * self.saved(0) * 2, None
        dx = grad * self.saved(1) if self.needs(0) else None
        dy = grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: off_the_graph
#: you take the array out of a tensor. Nothing is recorded then, and a second derivative is lost:
#: both know `*`.
        plain = getattr
        dx = dy = None
        if self.needs(0):
            dx = plain(grad, "array", grad) * plain(self.saved(1), "array", self.saved(1))
        if self.needs(1):
            dy = plain(grad, "array", grad) * plain(self.saved(0), "array", self.saved(0))
        return dx, dy
#: factors_added
#: you multiply by both factors, added up. The product follows x as strongly as y is large, and no
#: more.
        dx = grad * (self.saved(0) + self.saved(1)) if self.needs(0) else None
        dy = grad * (self.saved(0) + self.saved(1)) if self.needs(1) else None
        return dx, dy
#: grad_twice
#: you multiply by `grad` twice. Once is enough.
        dx = grad * grad * self.saved(1) if self.needs(0) else None
        dy = grad * grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: asks_for_y_alone
#: you ask whether y wants a gradient, for both. x is input 0, y is input 1.
        dx = grad * self.saved(1) if self.needs(1) else None
        dy = grad * self.saved(0) if self.needs(1) else None
        return dx, dy
#: answer_remembered
#: you keep something on the node from one call to the next. A second pass brings another `grad`:
#: begin anew each time.
        if not hasattr(self, "found"):
            dx = grad * self.saved(1) if self.needs(0) else None
            dy = grad * self.saved(0) if self.needs(1) else None
            self.found = (dx, dy)
        return self.found
