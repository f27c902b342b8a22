"""Kernels as a GPU's driver loads them: NVRTC compiles a .cu text once, and the disk keeps it.

An image is named by a hash of everything that goes into it (text, headers, options, architecture,
compiler), so an edited kernel is a new file and an old one is never wrong. Called by
cupy_backend.py; asks the GPU nothing, and CuPy only for NVRTC itself.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from norch_cuda.runtime.arguments import read_signature
from norch_cuda.runtime.definitions import kernels_of, variables_of
from norch_cuda.runtime.diagnostics import missing_header
from norch_cuda.runtime.library_cache import build_once, cache_directory
from norch_cuda.runtime.sources import KernelSource, source_directory
from norch_cuda.runtime.tokens import Tokens

LEAST_CAPABILITY = 60  # Pascal: the first with atomicAdd of doubles
_INSTALL = "python -m pip install 'norch[cuda12]' (or 'norch[cuda13]')"
# Stage 2 rounds each multiplication and addition; where bits must agree, so does the GPU.
WITHOUT_FMA = frozenset({"random"})
# Before the text: what tells, behind each kernel and variable, its name in the image, a kernel's
# parameters (signature.h) and a variable's size. All of it is read in the PTX.
_LISTING = """
#include "signature.h"
#line 1 "signatures"
template <auto kernel>
struct NorchListed {
  static constexpr int size = sizeof norch::Signature<kernel>::items / sizeof(norch::Parameter);
  norch::Parameter items[size];
  __device__ constexpr NorchListed() : items{} {
    for (int i = 0; i < size; i++) items[i] = norch::Signature<kernel>::items[i];
  }
};
template <class V>
constexpr unsigned long long norch_size_of = sizeof(V);
template <class V>
constexpr unsigned long long norch_size_of<const V> = 0;  // a host cannot write it
"""
_KERNEL = (
    ' extern "C" __device__ const NorchListed<{name}> norch_signature_{i}{{}};'
    ' extern "C" __device__ const auto norch_name_{i} = {name};'
)
_VARIABLE = (
    ' extern "C" __device__ const auto norch_size_{i} = norch_size_of<decltype({name})>;'
    ' extern "C" __device__ const auto norch_name_{i} = &{name};'
)
# C's headers, of which NVRTC has none. Most of what they declare to a kernel it knows by itself.
_C_HEADERS = {
    "assert.h": "",
    "stdio.h": "",
    "stdlib.h": "",
    "string.h": "",
    "math.h": """#pragma once
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define M_PI 3.14159265358979323846
""",
    "stdint.h": "#include <cuda/std/cstdint>\n",
    "limits.h": "#include <cuda/std/climits>\n",
    "float.h": """#pragma once
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
""",
}


@dataclass(frozen=True)
class Image:
    """What the driver loads, and what is in it: kernels and variables of the text.

    names: what the driver calls each; signatures: what each kernel declares, see arguments.py;
    sizes: the bytes of each variable.
    """

    code: bytes
    names: dict[str, str]
    signatures: dict[str, tuple[str, ...]]
    sizes: dict[str, int]


@lru_cache(maxsize=512)
def image_of(source: KernelSource, capability: int) -> Image:
    """Compile a .cu text for GPUs of one compute capability (80 is 8.0), or find it compiled.

    RuntimeError carries the compiler's message, with the lines of the text.
    """
    nvrtc, version = _compiler()
    options = _options(source, _architecture(nvrtc, capability))
    fields = tuple(Image.__dataclass_fields__)  # what a file holds, too
    key = hashlib.sha256(repr((version, options, fields, _C_HEADERS, _listed(source))).encode())
    for header in sorted(source_directory().glob("*.h")):
        key.update(header.read_bytes() + b"\0")
    name = f"{source.family}-{source.element.replace(' ', '_')}-{key.hexdigest()[:20]}.image"
    target = cache_directory("cuda") / name
    build_once(target, lambda built: _write(built, _compile(nvrtc, source, options)))
    head, _, code = target.read_bytes().partition(b"\n")
    names, signatures, sizes = json.loads(head)
    return Image(code, names, {name: read_signature(s) for name, s in signatures.items()}, sizes)


def _write(built: Path, image: Image) -> None:
    """Write a compiled image and what is in it to one file."""
    signatures = {name: "".join(found) for name, found in image.signatures.items()}
    head = json.dumps([image.names, signatures, image.sizes]).encode()
    built.write_bytes(head + b"\n" + image.code)


@lru_cache(maxsize=512)
def _listed(source: KernelSource) -> tuple[str, tuple[str, ...]]:
    """The text for NVRTC, and the names of the kernels and variables in it, by their numbers.

    What lists one stands right behind it, so the preprocessor leaves out both or neither.
    """
    text = Tokens(source.text)
    plain = set(source.kernels)
    places = [(k.name, k.body.end, _KERNEL) for k in kernels_of(text) if k.name in plain]
    found = [*places, *((name, end, _VARIABLE) for name, end in variables_of(text))]
    for i, (name, end, listing) in enumerate(found):
        text.tokens[text.real[end]] += listing.format(i=i, name=name)
    names = [name for name, _, _ in found]
    last = [name for name in source.kernels if name not in names]  # of macros, and expressions
    at_end = [_KERNEL.format(i=i, name=name) for i, name in enumerate(last, len(names))]
    marked = replace(source, text="".join(text.tokens)).typed_text
    return "\n".join([_LISTING, marked, *at_end, ""]), (*names, *last)


def _compiler() -> tuple[Any, tuple[int, int]]:
    """CuPy's module for NVRTC, and NVRTC's version."""
    from cupy.cuda import nvrtc

    try:
        return nvrtc, nvrtc.getVersion()
    except (ImportError, OSError, RuntimeError) as error:
        raise RuntimeError(
            f"[cuda] kernels are compiled by NVRTC, which is not installed: {_INSTALL}"
        ) from error


def _architecture(nvrtc: Any, capability: int) -> str:
    """What to compile for: this GPU's code, or PTX of an older one, which its driver finishes."""
    known = [each for each in nvrtc.getSupportedArchs() if each >= LEAST_CAPABILITY]
    older = [each for each in known if each <= capability]
    if not older:
        raise RuntimeError(
            f"[cuda] this GPU has compute capability {capability / 10:.1f}: norch's kernels need "
            f"{LEAST_CAPABILITY / 10:.1f}, and this NVRTC {min(known) / 10:.1f}; choose device "
            "'cuda-sim' or 'cpu'"
        )
    return f"{'sm' if older[-1] == capability else 'compute'}_{older[-1]}"


def _options(source: KernelSource, architecture: str) -> tuple[str, ...]:
    """NVRTC's own defaults but for these: denormal numbers stay what they are."""
    folders = [source_directory(), *_cuda_headers()]
    options = ["-std=c++17", f"-arch={architecture}", *(f"-I{folder}" for folder in folders)]
    return (*options, "--fmad=false") if source.family in WITHOUT_FMA else tuple(options)


@lru_cache(maxsize=1)
def _cuda_headers() -> tuple[str, ...]:
    """Where cuda_fp16.h, cooperative_groups.h and their like lie; norch's own kernels need none."""
    from cuda.pathfinder import find_nvidia_header_directory

    found = (find_nvidia_header_directory(part) for part in ("cudart", "cccl", "nvcc"))
    return tuple(folder for folder in found if folder)


@lru_cache(maxsize=8)
def has_header(name: str) -> bool:
    """Whether a header of CUDA is installed."""
    return any((Path(folder) / name).is_file() for folder in _cuda_headers())


def _compile(nvrtc: Any, source: KernelSource, options: tuple[str, ...]) -> Image:
    """Let NVRTC compile a text for a GPU."""
    text, listed = _listed(source)
    headers = tuple(map(str.encode, _C_HEADERS.values()))
    program = nvrtc.createProgram(text, source.file, headers, tuple(map(str.encode, _C_HEADERS)))
    try:
        nvrtc.compileProgram(program, options)
        ptx = nvrtc.getPTX(program)
        finished = any(option.startswith("-arch=sm_") for option in options)
        code = nvrtc.getCUBIN(program) if finished else ptx
        return Image(code, *_read_constants(ptx.decode(), listed))
    except nvrtc.NVRTCError as error:
        message = _readable(nvrtc.getProgramLog(program))
        raise RuntimeError(
            f"[cuda] NVRTC could not compile {Path(source.file).name}:\n{message or error}"
            + missing_header(message, source.file)
        ) from None
    finally:
        nvrtc.destroyProgram(program)


def _read_constants(
    ptx: str, listed: tuple[str, ...]
) -> tuple[dict[str, str], dict[str, tuple[str, ...]], dict[str, int]]:
    """Read the constants that `_listed` put beside what it lists: names, signatures, sizes."""
    names = re.findall(r"norch_name_(\d+) = (?:generic\()?([\w$]+)", ptx)
    signatures = {}
    for number, items in re.findall(r"norch_signature_(\d+)\[\d+\](?: = \{([^}]*)\})?;", ptx):
        characters = "".join(chr(int(byte)) for byte in items.split(",") if byte.strip())
        signatures[listed[int(number)]] = read_signature(characters.rstrip("\0"))
    sizes = re.findall(r"norch_size_(\d+) = ([1-9]\d*);", ptx)
    return (
        {listed[int(number)]: name for number, name in names},
        signatures,
        {listed[int(number)]: int(size) for number, size in sizes},
    )


def _readable(log: str) -> str:
    """Write places as the simulator's compiler does, file:line."""
    return re.sub(r"^(\S+?)\((\d+)\): ", r"\1:\2: ", log.strip("\0\n "), flags=re.MULTILINE)
