"""The stages, called as a program in any language would call them: through the
shared library that make builds of each, and one C function in it."""

import ctypes
import math
import os
import sys

from kernel_hash import kernel_hash
from recorded import file_name

SHIPPED = "libfp8attention"
sys.path.append(os.path.join(os.path.dirname(__file__), "../..", SHIPPED))
import fp8attention

E4M3_MAX = 448.0


class AttentionArgs(ctypes.Structure):
    """common/device/interface/attention.h, field by field. No strides: the
    tensors are contiguous; key_len 0: as many keys as rows; no lse."""

    _fields_ = (
        [(name, ctypes.c_void_p) for name in ("q", "k", "v", "q_scale",
                                              "k_scale", "v_scale", "o")]
        + [(name, ctypes.c_int64) for name in ("batch", "heads", "seq_len",
                                               "head_dim")]
        + [("softmax_scale", ctypes.c_float), ("kv_heads", ctypes.c_int64),
           ("causal", ctypes.c_int), ("key_len", ctypes.c_int),
           ("strides", ctypes.c_void_p), ("lse", ctypes.c_void_p)])


TAKES_CAUSAL, TAKES_GROUPED = 1, 2


class Support(ctypes.Structure):
    """attention_support there: what a kernel takes."""

    _fields_ = [("head_dims", ctypes.c_int * 4), ("takes", ctypes.c_int),
                ("rounds_p_to", ctypes.c_int), ("sums", ctypes.c_int)]


class StageObject(ctypes.Structure):
    """common/harness/object.h."""

    _fields_ = [(name, ctypes.c_char_p) for name in (
        "stage", "arm", "toggles", "kernel_hash", "compiler", "flags")] + [
            ("launch", ctypes.c_void_p), ("support", ctypes.POINTER(Support))]


class Library:
    """One stage's kernel.so: what it says of itself, and its launch."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.stage_object_get.restype = ctypes.POINTER(StageObject)
        about = self.library.stage_object_get().contents
        for name in ("stage", "arm", "toggles", "kernel_hash", "compiler"):
            setattr(self, name, getattr(about, name).decode())
        self.support = about.support.contents
        self.name = file_name(f"{self.stage}/{self.arm}")[:-5]
        self.library.stage_launch.argtypes = [
            ctypes.POINTER(AttentionArgs), ctypes.c_void_p]
        self.library.stage_launch.restype = ctypes.c_int

    def missing(self, shape):
        """Half a sentence on what the kernel lacks for a shape; None: nothing.
        """
        head_dims = [d for d in self.support.head_dims if d]
        if shape.head_dim not in head_dims:
            return "takes D = " + " or ".join(map(str, head_dims))
        if shape.causal and not self.support.takes & TAKES_CAUSAL:
            return "takes no causal mask"
        if shape.grouped and not self.support.takes & TAKES_GROUPED:
            return "takes no shared K/V heads"
        return None

    def args_of(self, problem, out):
        shape, tensors = problem.shape, [*problem.codes, *problem.scales, out]
        pointers = [x.data_ptr() for x in tensors]
        return AttentionArgs(*pointers, *shape.of_q,
                             1 / math.sqrt(shape.head_dim), shape.kv_heads,
                             shape.causal)

    def launch(self, args, stream):
        """Starts the kernel on a CUDA stream (its address); returns at once."""
        code = self.library.stage_launch(ctypes.byref(args), stream)
        if code:
            raise RuntimeError(f"{self.name}: the launch failed, "
                               f"CUDA's error {code}")


class ShippedLibrary:
    """libfp8attention, as make builds it: as Library, what it is, what it
    takes, and its launch."""

    name = stage = SHIPPED
    toggles = ""

    def __init__(self, compiler):
        self.library = fp8attention.load(f"build/gpu/{SHIPPED}/{SHIPPED}.so")
        self.compiler = compiler
        self.kernel_hash = kernel_hash(SHIPPED)

    def missing(self, shape):
        return (None if shape.head_dim in (64, 128)
                else "takes D = 64 or 128")

    def args_of(self, problem, out):
        return fp8attention.problem_of(problem.codes, problem.scales, out,
                                       problem.shape.causal)

    def launch(self, problem, stream):
        del stream  # forward takes PyTorch's current one, too
        fp8attention.forward(self.library, problem)


def shipped(compiler):
    """The one that there is, by the compiler of the stages."""
    return [ShippedLibrary(compiler)]


def quantise(values):
    """E4M3 codes of a tensor, and its one scale: amax / 448, and 1 where all is
    zero, as problem.c does with each head."""
    import torch

    amax = values.abs().amax().float()
    scale = torch.where(amax > 0, amax / E4M3_MAX, torch.ones_like(amax))
    return (values / scale).to(torch.float8_e4m3fn), scale
