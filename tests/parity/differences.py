"""What differs from PyTorch on purpose: each case with its reason. Nothing else may differ."""

import pytest

DIFFERENT = {
    "t.bincount(x, y) # i6 f6": "PyTorch has no derivative for the weights; norch does",
    "F.gelu(x) # e12": "PyTorch's float32 kernel gives NaN for gelu(inf); norch gives inf",
    "F.hardswish(x * 4) # e12": "PyTorch gives NaN for hardswish(-inf) = -inf * 0; norch gives 0",
    "(x * 0).norm() # f3": "PyTorch's second derivative at the origin is NaN; norch gives 0",
    "x != y.detach().numpy() # i3 i3": "element by element, as ==; PyTorch says True at once",
    'F.normalize("a") # f3': "TypeError, as for all that is no tensor; PyTorch asks for a method",
    "x[::-1] # f3": "norch has negative strides, so a view may run backwards",
    'x["a"] # f3': "an IndexError like every other bad index; PyTorch answers with TypeError",
    "t.tensor([None]) # f3": "a wrong type is a TypeError; PyTorch cannot infer its dtype",
    "nn.ParameterList([3])[1] # f1": "only parameters go into a ParameterList",
    "nn.Identity().register_forward_hook(3) # f1": "refused at once, not at the next call",
    "t.optim.SGD([x, x], lr=0.1) # f1": "PyTorch warns that this will be an error; here it is one",
    "t.index_put(x, (t.tensor([0, 0]),), y) # f3 f2": "of several writes to one place the gradient "
    "goes to the one that stands, as the derivative is; PyTorch gives it to each",
    "t.put(x, t.tensor([0, 0]), y) # f3 f2": "as index_put",
    "t.autograd.grad((x.requires_grad_() // 2).sum(), x) # f3": "a step has slope 0, as floor; "
    "PyTorch has no derivative of floor_divide, and refuses",
    "x.flatten() is x # f3": "a view of its own, as of every other shape; PyTorch gives itself",
    "nn.Flatten()(x) is x # f3,4": "as flatten",
    "t.broadcast_tensors(x, x)[0] is x # f3": "as flatten",
    "x.adjoint() is x # f": "as flatten",
    "t.softmax(x, 0, dtype=t.int64) # i0": "whole numbers have no softmax, of no elements neither",
    "t.index_add(x, 0, t.tensor([0]), y) # f0 f1": "no index is within a dimension of size 0",
    "nn.utils.weight_norm(nn.Linear(4, 3)) # f5,4": "norch's second derivative passes "
    "gradgradcheck (stage 5's tests); PyTorch's fused one differs",
}


def named(cases):
    """Return the cases as parameters named by their text, without the deliberate differences."""
    texts = {" # ".join(case): case for case in cases}
    return [pytest.param(*case, id=text) for text, case in texts.items() if text not in DIFFERENT]
