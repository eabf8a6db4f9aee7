"""The stages, called as a program in any language would call them: through the
shared library that make builds of each, and one C function in it."""

import ctypes
import subprocess

E4M3_MAX = 448.0


class AttentionArgs(ctypes.Structure):
    """common/device/interface/attention.h, field by field."""

    _fields_ = (
        [(name, ctypes.c_void_p) for name in ("q", "k", "v", "q_scale",
                                              "k_scale", "v_scale", "o")]
        + [(name, ctypes.c_int64) for name in ("batch", "heads", "seq_len",
                                               "head_dim")]
        + [("softmax_scale", ctypes.c_float)])


class AttentionCall(ctypes.Structure):
    """common/device/interface/attention_call.h: what is handed over, by its beginning."""

    _fields_ = [("args", AttentionArgs), ("kv_heads", ctypes.c_int64),
                ("causal", ctypes.c_int)]


TAKES_CAUSAL, TAKES_GROUPED = 1, 2


class StageObject(ctypes.Structure):
    """common/harness/object/object.h."""

    _fields_ = [(name, ctypes.c_char_p) for name in (
        "stage", "arm", "toggles", "kernel_hash", "compiler", "flags")] + [
            ("launch", ctypes.c_void_p), ("takes", ctypes.c_int)]


def result_name(stage, arm):
    """What a result of this arm is called: one program knows."""
    return subprocess.run(
        ["tools/toggles/toggles.sh", "file", f"{stage}/{arm}"], check=True,
        capture_output=True, text=True).stdout.strip()


class Library:
    """One stage's kernel.so: what it says of itself, and its launch."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.stage_object_get.restype = ctypes.POINTER(StageObject)
        about = self.library.stage_object_get().contents
        for name in ("stage", "arm", "toggles", "kernel_hash", "compiler"):
            setattr(self, name, getattr(about, name).decode())
        self.takes = about.takes
        self.name = result_name(self.stage, self.arm)
        self.library.stage_launch.argtypes = [
            ctypes.POINTER(AttentionArgs), ctypes.c_void_p]
        self.library.stage_launch.restype = ctypes.c_int

    def launch(self, call, stream):
        """Starts the kernel on a CUDA stream (its address); returns at once."""
        code = self.library.stage_launch(ctypes.byref(call.args), stream)
        if code:
            raise RuntimeError(f"{self.name}: the launch failed, "
                               f"CUDA's error {code}")


def quantise(values):
    """E4M3 codes of a tensor, and its one scale: amax / 448, and 1 where all is
    zero, as problem.c does with each head."""
    import torch

    amax = values.abs().amax().float()
    scale = torch.where(amax > 0, amax / E4M3_MAX, torch.ones_like(amax))
    return (values / scale).to(torch.float8_e4m3fn), scale
