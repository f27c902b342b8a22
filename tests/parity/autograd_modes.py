"""Programs about grad mode in blocks, decorators, generators and threads; see shown.py."""

import threading
import warnings


def modes_nest(t, show):
    seen = []
    with t.no_grad():
        seen.append(t.is_grad_enabled())
        with t.enable_grad():
            seen.append(t.is_grad_enabled())
            with t.set_grad_enabled(False):
                seen.append(t.is_grad_enabled())
            seen.append(t.is_grad_enabled())
        seen.append(t.is_grad_enabled())
    seen.append(t.is_grad_enabled())
    show(seen)


def modes_after_exceptions(t, show):
    for mode in (t.no_grad, t.inference_mode, lambda: t.set_grad_enabled(False)):
        try:
            with mode():
                raise KeyError
        except KeyError:
            pass
        show(t.is_grad_enabled(), t.is_inference_mode_enabled())


def set_grad_enabled_as_function(t, show):
    t.set_grad_enabled(False)
    show(t.is_grad_enabled())
    t.set_grad_enabled(True)
    show(t.is_grad_enabled())
    with t.set_grad_enabled(mode=False):
        show(t.is_grad_enabled())
    show(t.is_grad_enabled())
    show.fails(lambda: t.set_grad_enabled("a"))
    show.fails(lambda: t.set_grad_enabled(1))
    show.fails(lambda: t.set_grad_enabled(None))
    show.fails(lambda: t.set_grad_enabled())
    t.set_grad_enabled(True)


def modes_as_decorators(t, show):
    @t.no_grad()
    def a(x=1):
        "words"
        return t.is_grad_enabled()

    @t.no_grad
    def b():
        return t.is_grad_enabled()

    @t.inference_mode()
    def c():
        return t.is_grad_enabled(), t.is_inference_mode_enabled()

    @t.set_grad_enabled(False)
    def d():
        return t.is_grad_enabled()

    @t.enable_grad()
    def e():
        return t.is_grad_enabled()

    @t.inference_mode
    def f():
        return t.is_inference_mode_enabled()

    show(a(), b(), c(), d(), f(), a.__name__, a.__doc__, t.is_grad_enabled())
    with t.no_grad():
        show(e())

    class Model:
        @t.no_grad()
        def run(self, k):
            return k, t.is_grad_enabled()

        @classmethod
        @t.no_grad()
        def of(cls):
            return t.is_grad_enabled()

        @staticmethod
        @t.no_grad()
        def alone():
            return t.is_grad_enabled()

    show(Model().run(3), Model.of(), Model.alone())


def mode_on_a_class(t, show):
    def go():
        @t.no_grad()
        class Thing:
            def __init__(self):
                self.mode = t.is_grad_enabled()

        return Thing().mode

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        show.fails(go)


def decorator_recursion(t, show):
    @t.no_grad()
    def count(n):
        return [t.is_grad_enabled()] + (count(n - 1) if n else [])

    show(count(3), t.is_grad_enabled())


def generators(t, show):
    seen = []

    @t.no_grad()
    def numbers():
        try:
            for i in range(3):
                seen.append(("in", t.is_grad_enabled()))
                got = yield i
                seen.append(("got", got))
        except ValueError:
            seen.append(("caught", t.is_grad_enabled()))
            yield 99
        finally:
            seen.append(("end", t.is_grad_enabled()))
        return "done"

    for i in numbers():
        seen.append((i, t.is_grad_enabled()))
    show(seen)
    seen.clear()
    g = numbers()
    show(next(g), g.send("hello"), g.throw(ValueError()), t.is_grad_enabled())
    g.close()
    show(seen)
    seen.clear()

    def outer():
        result = yield from numbers()
        yield result

    show(list(outer()))
    h = numbers()
    next(h)
    h.close()
    show(seen)


def generator_that_switches_inside(t, show):
    def plain():
        with t.no_grad():
            yield t.is_grad_enabled()
        yield t.is_grad_enabled()

    show([(value, t.is_grad_enabled()) for value in plain()])


def modes_belong_to_threads(t, show):
    seen = []
    with t.no_grad():
        thread = threading.Thread(target=lambda: seen.append(t.is_grad_enabled()))
        thread.start()
        thread.join()
    show(seen)
