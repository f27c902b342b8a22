"""PowerSGD: gradients of DDP that travel as two thin matrices; what is lost comes next time.

One step of power iteration for each matrix, from the last right factor (Vogels et al., 2019,
https://arxiv.org/abs/1905.13727). The page book/library/distributed.md names it.
"""

from __future__ import annotations

from functools import partial

from norch_autograd import Generator, Tensor, linalg, randn, zeros_like
from norch_ddp.data_parallel.comm_hooks import GradBucket, allreduce_hook, mean_of
from norch_ddp.groups.process_group import ProcessGroup
from norch_ddp.transports.work import Future

Key = tuple[int, int]
"""A matrix: its bucket, and its place there."""


class PowerSGDState:
    """What `powerSGD_hook` keeps between steps: each matrix's error, and its last right factor.

    A matrix (n, m) is sent as two if that is `min_compression_rate` times shorter. Without
    `use_error_feedback` what is lost stays lost; without `warm_start` each step begins from random
    numbers; `orthogonalization_epsilon` is added to a column's length before it divides.
    https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html
    """

    def __init__(
        self,
        process_group: ProcessGroup | None = None,
        matrix_approximation_rank: int = 1,
        start_powerSGD_iter: int = 1000,
        min_compression_rate: float = 2,
        use_error_feedback: bool = True,
        warm_start: bool = True,
        orthogonalization_epsilon: float = 0,
        random_seed: int = 0,
        compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ) -> None:
        """Take PyTorch's options; the last two change nothing here."""
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback = use_error_feedback
        self.warm_start = warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.iter = 0
        self.generator = Generator().manual_seed(random_seed)  # the same on every rank
        self.errors: dict[Key, Tensor] = {}
        self.factors: dict[Key, Tensor] = {}

    def is_worth_it(self, matrix: Tensor) -> bool:
        """Return whether (n, m) is so much longer than (n + m) r."""
        rows, columns = matrix.shape
        rank = min(rows, columns, self.matrix_approximation_rank)
        return (rows + columns) * rank * self.min_compression_rate < rows * columns

    def right_factor(self, key: Key, matrix: Tensor) -> Tensor:
        """Return Q (m, r), from which this step begins."""
        rank = min(*matrix.shape, self.matrix_approximation_rank)
        if key not in self.factors or not self.warm_start:
            shape = (matrix.shape[1], rank)
            self.factors[key] = randn(shape, generator=self.generator, dtype=matrix.dtype)
        return self.factors[key]

    def orthonormal(self, left: Tensor) -> Tensor:
        """Return P (n, r) with columns of length 1 that stand upright on each other."""
        if not self.orthogonalization_epsilon:
            return linalg.qr(left)[0]
        for i in range(left.shape[1]):
            column, rest = left[:, i : i + 1], left[:, i + 1 :]
            column.div_(column.norm() + self.orthogonalization_epsilon)
            rest.sub_(column @ (column.T @ rest))
        return left


def powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future:
    """Send each matrix G (n, m) as P Q^T, P (n, r) and Q (m, r); what is lost comes next time.

    P = mean(G Q), made orthonormal; Q = mean(G^T P). Vectors travel whole, and so does everything
    in the first `start_powerSGD_iter` steps, whose gradients change the most.
    """
    step = state.iter
    state.iter += bucket.is_last()
    if step < state.start_powerSGD_iter:
        return allreduce_hook(state.process_group, bucket)
    matrices: dict[Key, Tensor] = {}
    others = []
    for place, grad in enumerate(bucket.gradients()):
        matrix = grad.reshape(grad.shape[0], -1) if grad.ndim > 1 else None
        if matrix is not None and state.is_worth_it(matrix):
            matrices[bucket.index(), place] = matrix
        else:
            others.append(mean_of(grad, state.process_group))
    lefts = {}
    for key, matrix in matrices.items():
        if key in state.errors:
            matrix.add_(state.errors[key])
        lefts[key] = mean_of(matrix @ state.right_factor(key, matrix), state.process_group)
    ready = Future()
    ready.set_result(None)
    return ready.then(partial(_finish, state, bucket, matrices, lefts, others))


def _finish(
    state: PowerSGDState,
    bucket: GradBucket,
    matrices: dict[Key, Tensor],
    lefts: dict[Key, Future],
    others: list[Future],
    _: Future,
) -> Tensor:
    """Send the right factors, now that the left ones are known, and put both together."""
    bases = {key: state.orthonormal(left.wait()) for key, left in lefts.items()}
    rights = {
        key: mean_of(matrix.T @ bases[key], state.process_group) for key, matrix in matrices.items()
    }
    for key, matrix in matrices.items():
        state.factors[key] = rights[key].wait()
        near = bases[key] @ state.factors[key].T
        state.errors[key] = matrix - near if state.use_error_feedback else zeros_like(near)
        matrix.copy_(near)
    for other in others:
        other.wait()
    return bucket.buffer()
