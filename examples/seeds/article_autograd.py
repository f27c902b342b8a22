"""The article's short pieces: a sum of two tensors, another on the GPU if there is one, gradients."""

import norch

device = "cuda" if norch.cuda.is_available() else "cpu"

tensor1 = norch.Tensor([[1, 2, 3], [3, 2, 1]])
tensor2 = norch.Tensor([[3, 2, 1], [1, 2, 3]])

result = tensor1 + tensor2
print(result[0, 0])
# 4

tensor1 = norch.Tensor([[1, 2, 3], [3, 2, 1]]).to(device)
tensor2 = norch.Tensor([[3, 2, 1], [1, 2, 3]]).to(device)

result = tensor1 + tensor2

x = norch.tensor([[1., 2, 3], [3., 2, 1]], requires_grad=True)
# [[1, 2, 3],
# [3, 2., 1]]

y = norch.tensor([[3., 2, 1], [1., 2, 3]], requires_grad=True)
# [[3, 2, 1],
# [1, 2, 3]]

L = ((x - y) ** 3).sum()

L.backward()

# You can access gradients of x and y
print(x.grad)
# [[12, 0, 12],
# [12, 0, 12]]

print(y.grad)
# [[-12, 0, -12],
# [-12, 0, -12]]
