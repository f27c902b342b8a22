"""Puts the stand-in for a GPU's driver under CuPy, in every process that has it on its path.

build.py writes the file that calls `install` when Python starts. NVRTC is the real one and compiles
every kernel; what then runs is the simulator's build of the same text. That text is found again by
the bytes of the image that the driver is given, whichever process compiled it.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent.parent / "build" / "fake_gpu"
LIBRARIES = FOLDER / "lib"
_RUNTIME = "cupy_backends.cuda.api.runtime"
_NVRTC = "cupy_backends.cuda.libs.nvrtc"
_NOT_FOUND, _UNKNOWN = 500, 999
# A text behind what runtime/nvrtc.py puts before it, and what it puts into it.
_SOURCE = re.compile(
    r'.*?#line 1 "signatures"\n.*?(?:#include "kernel.h"\nusing T = ([^;]+);\n)?'
    r'#line 1 "([^"]*)"\n(.*)',
    re.DOTALL,
)
_LISTED = re.compile(r' extern "C" __device__ const [^\n;]*?norch_\w+_\d+[^;]*;')
_NAMED = re.compile(r"auto norch_name_(\d+) = ([^;]+);")
_LOWERED = re.compile(r"norch_name_(\d+) = (?:generic\()?([\w$]+)")
_MOST_SHARED = 227 * 1024  # the driver's own limit is told before a kernel runs


class _Kernel(ctypes.Structure):
    """FakeKernel of fake_gpu.cpp."""

    _fields_ = (
        ("launcher", ctypes.c_void_p),
        ("library", ctypes.c_void_p),
        ("index", ctypes.c_int),
        ("flush", ctypes.c_int),
        ("num_parameters", ctypes.c_int),
        ("sizes", ctypes.c_int * 64),
        ("is_pointer", ctypes.c_char * 64),
        ("options", ctypes.c_char * 256),
        ("grid_at", ctypes.c_int),
        ("block_at", ctypes.c_int),
        ("shared_at", ctypes.c_int),
        ("report_bytes", ctypes.c_int),
    )


_OnLoad = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_OnFunction = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(_Kernel))
_OnVariable = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_size_t),
)


# ---- what NVRTC compiled, found again by what it made --------------------------------------------

_texts: dict[int, dict[str, Any]] = {}  # of the programs that are being compiled
_images: list[dict[str, Any]] = []  # those that were loaded; the driver counts them from 1


class _Listener:
    """CuPy's calls of NVRTC: each goes on to the real one, and what it says is noted."""

    def __init__(self, nvrtc: Any) -> None:
        self._create, self._compile = nvrtc.createProgram, nvrtc.compileProgram
        self._destroy = nvrtc.destroyProgram
        self._ptx, self._cubin = nvrtc.getPTX, nvrtc.getCUBIN

    def create(self, text: str, *rest: object) -> int:
        program: int = self._create(text, *rest)
        _texts[program] = {"text": text, "options": [], "names": {}}
        return program

    def compile(self, program: int, options: tuple[str, ...]) -> None:
        _texts[program]["options"] = list(options)
        self._compile(program, options)

    def ptx(self, program: int) -> bytes:
        ptx = self._ptx(program)
        listed = dict(_NAMED.findall(_texts[program]["text"]))
        lowered = _LOWERED.findall(ptx.decode())
        _texts[program]["names"] = {name: listed[number] for number, name in lowered}
        return self._noted(program, ptx)

    def cubin(self, program: int) -> bytes:
        return self._noted(program, self._cubin(program))

    @staticmethod
    def _noted(program: int, image: bytes) -> bytes:
        _texts[program]["image"] = hashlib.sha256(image.rstrip(b"\0")).hexdigest()
        return image

    def destroy(self, program: int) -> None:
        noted = _texts.pop(program)
        if "image" in noted:
            _keep(noted.pop("image"), noted)
        self._destroy(program)


def _listen(nvrtc: Any) -> None:
    """Let CuPy's module note which text each image was made of."""
    listener = _Listener(nvrtc)
    nvrtc.createProgram, nvrtc.compileProgram = listener.create, listener.compile
    nvrtc.destroyProgram = listener.destroy
    nvrtc.getPTX, nvrtc.getCUBIN = listener.ptx, listener.cubin


def _keep(image: str, noted: dict[str, Any]) -> None:
    target = FOLDER / "texts" / f"{image}.json"
    target.parent.mkdir(exist_ok=True)
    whole = target.with_suffix(f".{os.getpid()}")
    whole.write_text(json.dumps(noted))
    whole.replace(target)


def _image_bytes(address: int) -> bytes:
    """The image at an address: text, or an ELF file as far as its tables reach."""
    header = ctypes.string_at(address, 64)
    if header[:4] != b"\x7fELF":
        return ctypes.string_at(address)
    segments, sections = struct.unpack_from("<QQ", header, 32)
    sizes = struct.unpack_from("<HHHH", header, 54)
    return ctypes.string_at(
        address, max(segments + sizes[0] * sizes[1], sections + sizes[2] * sizes[3])
    )


# ---- what the driver asks ------------------------------------------------------------------------


@_OnLoad
def _on_load(address: int) -> int:
    image = hashlib.sha256(_image_bytes(address).rstrip(b"\0")).hexdigest()
    text = FOLDER / "texts" / f"{image}.json"
    if not text.exists():
        return 0
    _images.append(json.loads(text.read_text()))
    return len(_images)


def _asked(number: int, name: bytes, answer: Callable[[dict[str, Any], str], None]) -> int:
    """Answer what the driver asks about a name of an image; a callback cannot raise."""
    try:
        noted = _images[number - 1]
        if name.decode() not in noted["names"]:
            return _NOT_FOUND
        answer(noted, noted["names"][name.decode()])
        return 0
    except BaseException as error:
        print(f"[fake-gpu] {name.decode()}: {error}", file=sys.stderr)
        return _UNKNOWN


@_OnFunction
def _on_function(number: int, name: bytes, out: Any) -> int:
    return _asked(number, name, lambda noted, kernel: _describe(noted, kernel, out.contents))


@_OnVariable
def _on_variable(number: int, name: bytes, start: Any, nbytes: Any) -> int:
    def find(noted: dict[str, Any], variable: str) -> None:
        found = _library(noted).symbols[variable.removeprefix("&")]
        start[0], nbytes[0] = found.address, found.nbytes

    return _asked(number, name, find)


def _size(kernel: str, parameter: str) -> int:
    """Bytes of a kernel's parameter as csrc/signature.h describes it."""
    from norch_cuda.operations import creation, optimizers
    from norch_cuda.runtime import arguments

    kind, element = parameter
    if kind == "P":
        return 8
    if element == "s":  # the two structs that shipped kernels take by value
        return creation.PARTS_BYTES if kernel == "cat_kernel" else optimizers.TABLE_BYTES
    if element in "SW":
        return ctypes.sizeof(arguments.LayoutStruct if element == "S" else arguments.WindowsStruct)
    size = 2 if element in "eE" else ctypes.sizeof(arguments._SCALARS[element])
    return size * (1 if kind == " " else int(kind))


def _library(noted: dict[str, Any]) -> Any:
    """The simulator's build of a text; of the one kernel, if it is the instance of a template."""
    from norch_cuda.runtime.simulator_backend import load_library
    from norch_cuda.runtime.sources import KernelSource

    element, file, body = _SOURCE.match(noted["text"]).groups()
    body = _LISTED.sub("", body)
    source = KernelSource(body, file, element or "float")
    listed = [name for name in noted["names"].values() if name[0] != "&"]
    if not set(listed) <= set(source.kernels):
        source = KernelSource(body, file, element or "float", expression=listed[0])
    return load_library(source, False)


def _describe(noted: dict[str, Any], name: str, out: _Kernel) -> None:
    from norch_cuda.runtime import simulator_backend, simulator_structs
    from norch_cuda.runtime.simulator_options import SimulatorOptions

    library = _library(noted)
    out.index, packer = library.kernels[name]
    signature = packer.signature
    launcher = simulator_backend._engine().norch_sim_launch
    out.launcher = ctypes.cast(launcher, ctypes.c_void_p).value
    out.library = ctypes.addressof(library.table)
    flush = [option for option in noted["options"] if "ftz" in option]
    out.flush = bool(flush) and flush[-1].endswith("true")
    out.num_parameters = len(signature)
    out.sizes[: len(signature)] = [_size(name, parameter) for parameter in signature]
    out.is_pointer = bytes(parameter[0] == "P" for parameter in signature)
    options = simulator_backend._launch_options(
        SimulatorOptions(), (1, 1, 1), (1, 1, 1), 0, simulator_backend._arrays([])
    )
    options.max_dynamic_shared = _MOST_SHARED
    place = _Kernel.options.offset + ctypes.addressof(out)
    ctypes.memmove(place, ctypes.addressof(options), ctypes.sizeof(options))
    kind = type(options)
    out.grid_at, out.block_at = kind.grid.offset, kind.block.offset
    out.shared_at = kind.dynamic_shared.offset
    out.report_bytes = ctypes.sizeof(simulator_structs.LaunchReport)


# ---- installation --------------------------------------------------------------------------------


class _Finder:
    """Imports the runtime module from LIBRARIES, and listens to CuPy's module for NVRTC."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if name == _RUNTIME:
            return importlib.util.spec_from_file_location(name, LIBRARIES / "runtime.so")
        if name != _NVRTC:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        execute = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            _listen(module)

        spec.loader.exec_module = exec_module
        return spec


def install() -> None:
    """Load the libraries under the names of the real ones, before anybody asks for those."""
    driver = ctypes.CDLL(str(LIBRARIES / "libcuda.so.1"), mode=ctypes.RTLD_GLOBAL)
    for name in ("libcublasLt.so.12", "libcublas.so.12"):
        ctypes.CDLL(str(LIBRARIES / name), mode=ctypes.RTLD_GLOBAL)
    driver.norch_fake_gpu_connect(_on_load, _on_function, _on_variable)
    sys.meta_path.insert(0, _Finder)
