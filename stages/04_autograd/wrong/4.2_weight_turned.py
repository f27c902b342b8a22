        rows = reshape(grad, -1, out_features)
        dx = matmul(grad, matrix_transpose(self.saved(1))) if self.needs(0) else None
        dw = None
        if self.needs(1):
            dw = matmul(matrix_transpose(rows), reshape(self.saved(0), -1, x_shape[-1]))
        return dx, dw, sum(rows, 0) if self.needs(2) else None
