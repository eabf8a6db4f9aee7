"""FlashAttention-3 in FP8: the forward alone from PyPI, fa3-fwd, which setup
pins; or the Python package of the folder hopper of
https://github.com/Dao-AILab/flash-attention, where somebody has built it.

As hopper/flash_attn_interface.py has it (commit 01afd16), flash_attn_func takes
[B, S, H, D], and by name softmax_scale, causal, q_descale, k_descale and
v_descale; O is bf16, alone or the first of a tuple. hopper/flash_api.cpp wants
each descale as [B, H_kv] in fp32, that of Q too."""

import importlib.metadata
import math

import torch

from contender import Contender as Base
from contender import package

# Each module with the name of what installs it. Who has built his own has it
# timed, and the record names it.
MODULES = {"flash_attn_interface": "flash_attn_3",
           "fa3_fwd_interface": "fa3-fwd"}
FUNCTION = "flash_attn_func"


def found():
    """The first that loads: (its name, the module, None), or why none does."""
    reasons = []
    for name, sold_as in MODULES.items():
        module, lacking = package(name, sold_as)
        if module:
            return name, module, None
        reasons.insert(0, lacking)
    # What is here and does not load is worth more words than what is not here.
    return None, None, min(reasons, key=lambda its: its.startswith("no "))


class Contender(Base):
    precision = "E4M3"
    place = 7

    @classmethod
    def unavailable(cls):
        name, module, lacking = found()
        if lacking:
            return lacking
        if not callable(getattr(module, FUNCTION, None)):
            return f"{name} has no {FUNCTION}"
        if torch.cuda.get_device_capability()[0] != 9:
            return "takes FP8 on compute capability 9.0 alone"
        return None

    @classmethod
    def version(cls):
        """Which of them it is, too."""
        sold_as = MODULES.get(found()[0])
        try:
            return f"{sold_as} {importlib.metadata.version(sold_as)}"
        except (importlib.metadata.PackageNotFoundError, ValueError):
            return sold_as

    def prepare(self):
        problem, shape = self.problem, self.problem.shape
        self.codes = [x.transpose(1, 2).contiguous() for x in problem.codes]
        # One scale a group of Q's heads is all that it takes. All heads have
        # the same (problem.py), so the codes are right as they are.
        descales = [scale[:, :shape.kv_heads].contiguous()
                    for scale in problem.scales]
        self.options = {"softmax_scale": 1 / math.sqrt(shape.head_dim),
                        "causal": shape.causal}
        self.options |= {name + "_descale": scale
                         for name, scale in zip("qkv", descales)}
        self.function = getattr(found()[1], FUNCTION)

    def launch(self):
        out = self.function(*self.codes, **self.options)
        self.out = out[0] if isinstance(out, (tuple, list)) else out

    def output(self):
        return self.out.transpose(1, 2)
