#: a_product_of_matrices
#: the lookup as a matrix with a 1 where place k takes row index[k]; the way back is its transpose
#: times what arrived. Each row's sum is taken in a fixed order, also on a GPU, where `index_add`
#: adds in whatever order its threads come; but the matrix has places times rows entries, almost all
#: of them 0.
        from norch_autograd.ops.arrays import arange_like
        from norch_autograd.ops.linalg.matmul import matmul

        arrived = grad if share is None else grad * share
        numbers = unsqueeze(arange_like(index, (rows,)), 1)
        return (matmul(to(numbers == index, grad.dtype), arrived),)
