"""Cases of linear algebra by LAPACK. What has no sign of its own, vectors, is compared as a product
in which the sign falls out.
"""

LINALG = """
t.linalg.svd(x).S                              # f2,3,4
t.linalg.svd(x)[1:2]                           # f4,3
t.linalg.svd(x, full_matrices=False).U.square()  # f4,3
t.linalg.svd(x, full_matrices=False).Vh.square()  # f2,3,5
t.linalg.svd(x).U.shape                        # f2,4,3
t.linalg.svd(A=x, full_matrices=True).Vh[..., :3, :].square()  # f3,4
t.linalg.svd(x)                                # f3
t.linalg.svd(x)                                # i3,3
t.linalg.svd(x * float("nan"))                 # f3,3
t.linalg.svd(x, driver="gesvd")                # f3,3
t.linalg.svd(x[:0])[0].shape                   # f3,2
t.linalg.svd(x.mT)[1]                          # f2,3,4
t.linalg.svd(x[:, ::2]).S                      # f3,4
t.linalg.svdvals(x)                            # f2,3,4
t.linalg.svdvals(x[..., :0])                   # f2,3,4
t.svd(x)[1]                                    # f3,4
t.svd(x, some=False)[2].shape                  # f2,4
t.svd(x, compute_uv=False)                     # f2,4
x.svd().V.square()                             # f4,2
t.linalg.eigh(x + x.mT).eigenvalues            # f2,3,3
t.linalg.eigh(x + x.mT)[1].square()            # f3,3
t.linalg.eigh(x.triu() + x.triu(1).mT, UPLO="U")[0]  # f3,3
t.linalg.eigh(x.detach(), "u").eigenvalues     # f3,3
t.linalg.eigh(x, UPLO="x")                     # f3,3
t.linalg.eigh(x)                               # f2,3
t.linalg.eigh(x)                               # i3,3
t.linalg.eigh(x * float("nan"))                # f3,3
t.linalg.eigvalsh(x + x.mT)                    # f2,4,4
t.linalg.eigvalsh(x[:0, :0])                   # f3,3
t.linalg.qr(x, "complete").R                   # f3,3
t.linalg.qr(x, mode="r").R.shape               # f3,4
t.linalg.qr(x)                                 # f2,2,4
t.linalg.qr(x.mT)                              # f2,4
t.linalg.qr(x[:0])[0].shape                    # f3,2
t.qr(x)                                        # f4,3
x.qr(some=False)[0].shape                      # f4,3
t.linalg.lstsq(x, y)[0]                        # f4,3 f4,2
t.linalg.lstsq(x, y).solution                  # f3,4 f3,2
t.linalg.lstsq(x, y)[0]                        # f2,4,3 f2,4
t.linalg.lstsq(x, y, driver="gels")[1]         # f4,3 f4,2
t.linalg.lstsq(x, y, driver="gelsd")[2:]       # f4,3 f4,2
t.linalg.lstsq(x, y, rcond=0.9, driver="gelss").rank  # f4,3 f4,2
t.linalg.lstsq(x, y, driver="gelsx")           # f4,3 f4,2
t.linalg.lstsq(x, y)                           # f4,3 f3,2
t.linalg.lstsq(x, y)                           # f4 f4
t.linalg.pinv(x)                               # f2,4,3
t.linalg.pinv(x @ y)                           # f4,2 f2,3
t.linalg.pinv(x, rtol=0.9)                     # f3,3
t.linalg.pinv(x, atol=t.tensor(0.5, dtype=x.dtype), rtol=0.01)  # f3,3
t.linalg.pinv(x + x.mT, hermitian=True)        # f3,3
t.linalg.pinv(x, rtol=t.tensor([0.1, 0.9], dtype=x.dtype))  # f3,3
t.linalg.pinv(x, 0.5)                          # f3,4
t.linalg.pinv(x[:, :0])                        # f3,4
t.pinverse(x)                                  # f3,4
x.pinverse(0.9)                                # f3,4
t.linalg.matrix_rank(x @ y)                    # f4,2 f2,4
t.linalg.matrix_rank(x, atol=0.5)              # f2,3,4
t.linalg.matrix_rank(x, tol=0.5)               # f2,3,4
t.linalg.matrix_rank(x, rtol=t.tensor([0.1, 0.9], dtype=x.dtype))  # f2,3,4
t.linalg.matrix_rank(x + x.mT, hermitian=True)  # f3,3
t.linalg.matrix_rank(x)                        # f3
t.linalg.matrix_rank(x)                        # i3,3
t.linalg.cond(x)                               # f2,3,4
t.linalg.cond(x, -2)                           # f3,4
t.linalg.cond(x, 1)                            # f2,3,3
t.linalg.cond(x, p="fro")                      # f3,3
t.linalg.cond(x, "nuc")                        # f3,3
t.linalg.cond(x * 0, float("inf"))             # f3,3
t.linalg.cond(x[:, :0, :0])                    # f2,3,3
t.linalg.cond(x, 1)                            # f2,3
t.linalg.cond(x, 3)                            # f3,3
t.norm(x, "nuc")                               # f3,4
t.norm(x, p="nuc", dim=(0, 2))                 # f2,3,4
x.norm("nuc", (1, 2), True)                    # f2,3,4
t.norm(x, "nuc")                               # f2,3,4
t.norm(x, "nuc")                               # f3
t.norm(x, "nuc", dim=0)                        # f3,4
t.linalg.norm(x, "nuc")                        # f3,4
t.linalg.norm(x, 2)                            # f3,4
t.linalg.norm(x, -2, dim=(2, 0))               # f2,3,4
t.linalg.norm(x, "nuc")                        # f3
t.linalg.matrix_norm(x, "nuc", keepdim=True)   # f2,3,4
t.linalg.matrix_norm(x, 2, dim=(0, 1))         # f2,3,4
t.linalg.matrix_norm(x[:0].detach(), 2)        # f3,4
t.linalg.matrix_norm(x[:0], 1)                 # f3,4
t.linalg.matrix_norm(x[:0].detach(), float("inf"))  # f3,4
t.linalg.matrix_norm(x[:0], -2)                # f3,4
t.linalg.matrix_norm(x[:0], -1)                # f3,4
t.linalg.matrix_norm(x, 3)                     # f3,4
t.linalg.matrix_norm(x, "x")                   # f3,4
t.linalg.lu(x)                                 # f4,3
t.linalg.lu(x)                                 # f2,3,4
t.linalg.lu(x * 0)                             # f3,3
t.linalg.lu(x, pivot=False)                    # f3,3
t.linalg.lu_factor(x)                          # f2,3,3
t.linalg.lu_factor(x * 0)                      # f3,3
t.linalg.lu_solve(*t.linalg.lu_factor(x), y)   # f2,3,3 f2,3,4
t.linalg.lu_solve(*t.linalg.lu_factor(x), y, left=False)  # f3,3 f2,3
t.linalg.lu_solve(*t.linalg.lu_factor(x), y, adjoint=True)  # f3,3 f3,2
t.linalg.lu_solve(x, t.tensor([1, 2, 3], dtype=t.int32), y)  # f3,3 f3,2
t.linalg.lu_solve(x, t.tensor([1, 2, 4], dtype=t.int32), y)  # f3,3 f3,2
t.linalg.lu_solve(x, t.tensor([1, 2, 3]), y)   # f3,3 f3,2
t.linalg.lu_solve(x, t.tensor([1, 2, 3], dtype=t.int32), y)  # f3,3 f3
t.lu_unpack(*t.lu(x))                          # f2,3,4
t.lu_unpack(*x.lu(), unpack_data=False)[0]     # f3,3
t.lu_unpack(*x.lu(), unpack_pivots=False)[1:]  # f3,3
t.lu(x, get_infos=True)[2]                     # f2,3,3
y.lu_solve(*x.lu())                            # f3,3 f3,2
t.lu_solve(y, *t.lu(x))                        # f3,3 f3,2
t.linalg.solve_triangular(x, y, upper=True)    # f3,3 f3,2
t.linalg.solve_triangular(x, y, upper=False)   # f3,3 f2,3,2
t.linalg.solve_triangular(x, y, upper=True, left=False)  # f2,3,3 f2,4,3
t.linalg.solve_triangular(x, y, upper=False, unitriangular=True)  # f3,3 f3,2
t.linalg.solve_triangular(x * 0, y, upper=True)[-1]  # f3,3 f3,2
t.linalg.solve_triangular(x, y)                # f3,3 f3,2
t.linalg.solve_triangular(x, y, upper=True)    # f3,3 f3
t.linalg.solve_triangular(x, y, upper=True)    # f3,3 f2,2
t.linalg.solve_triangular(x, y, upper=True)    # f3,4 f3,2
t.triangular_solve(y, x)                       # f3,3 f3,2
y.triangular_solve(x, upper=False, transpose=True)[0]  # f3,3 f3,2
y.triangular_solve(x, unitriangular=True).solution  # f3,3 f3,2
t.cholesky(x @ x.mT)                           # f3,4
(x @ x.mT).cholesky(upper=True)                # f3,4
t.cholesky_solve(y, x.tril() + 3 * t.eye(3).to(x))  # f3,3 f3,2
y.cholesky_solve(x.triu() + 3 * t.eye(3).to(x), upper=True)  # f3,3 f3,2
t.cholesky_solve(y, x)                         # f3,3 f3
t.cholesky_solve(y, x)                         # f3,3 f2,2
t.cholesky_inverse(x.tril() + 3 * t.eye(3).to(x))  # f2,3,3
(x.triu() + 3 * t.eye(3).to(x)).cholesky_inverse(True)  # f3,3
t.linalg.cholesky(x * float("nan"))            # f3,3
t.linalg.inv(x * float("nan"))                 # f3,3
t.linalg.inv(x[:0, :0])                        # f3,3
t.linalg.solve(x, y * float("inf"))            # f3,3 f3,2
t.linalg.inv(x.half())                         # f3,3
t.linalg.det(x.half())                         # f3,3
t.linalg.solve(x[:, :0, :0], y[:, :0])         # f2,3,3 f2,3,1
t.linalg.matrix_power(x, 0)                    # f2,3,3
"""
