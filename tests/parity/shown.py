"""Programs that both libraries run, and what each of them showed.

A program is a function of a library `t` and of `show`, which notes values; `show.fails(call)` notes
the class of the exception a call raises, or what came out. Values are noted as plain data, numbers
to six digits. The tensors most programs start from are here too.
"""

import inspect
import warnings


class Show:
    """What a program has shown, in order."""

    def __init__(self):
        self.seen = []

    def __call__(self, *values):
        self.seen.append(tuple(noted(value) for value in values))

    def fails(self, call):
        """Note the class of the exception, or the result."""
        try:
            result = call()
        except Exception as error:  # its class is what is compared
            self.seen.append(("raises", type(error).__name__))
        else:
            self.seen.append(("gives", noted(result)))

    @staticmethod
    def kind(call):
        """Return the class of the exception in words, "fine" without one."""
        try:
            call()
        except Exception as error:
            return type(error).__name__
        return "fine"

    @staticmethod
    def warned(call):
        """Return what a call gives that PyTorch warns about."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()


def noted(value):
    """Return a value as plain data."""
    kind = type(value).__name__
    if kind in ("Tensor", "Parameter"):
        dtype = str(value.dtype).partition(".")[2]
        return dtype, tuple(value.shape), rounded(value.detach().tolist())
    if isinstance(value, dict):
        return {key: noted(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return tuple(noted(item) for item in value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return rounded(value)
    return str(value).partition(".")[2] if kind in ("dtype", "DType") else kind


def rounded(value):
    """Return numbers, nested or not, to six digits; NaN as a word, so that it equals itself."""
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if value == value else "nan"
    return value


def programs(*modules):
    """Return every program of some modules."""
    return [
        function
        for module in modules
        for function in vars(module).values()
        if inspect.isfunction(function)
        and function.__module__ == module.__name__
        and list(inspect.signature(function).parameters) == ["t", "show"]
    ]


def shown_by(program, library):
    """Return what a program shows in one library; how it ends counts too."""
    show = Show()
    try:
        program(library, show)
    except Exception as error:
        show.seen.append(("ends with", type(error).__name__))
    finally:
        library.set_grad_enabled(True)
        library.autograd.set_detect_anomaly(False)
    return show.seen


def leaf(t, values=(1.0, 2.0, 3.0)):
    return t.tensor(list(values), dtype=t.float64, requires_grad=True)


def four(t):
    return leaf(t, (1.0, 2.0, 3.0, 4.0))


def grid(t):
    return t.arange(1, 7, dtype=t.float64).reshape(2, 3).requires_grad_()


def cube(t):
    class Cube(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * grad

    return Cube


def wrong(t):
    class Wrong(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3

    return Wrong.apply
