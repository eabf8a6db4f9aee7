"""libfp8attention, as make builds it, beside the stages' libraries."""

import os
import sys

NAME = "libfp8attention"
sys.path.append(os.path.join(os.path.dirname(__file__), "../..", NAME))
import fp8attention
from kernel_hash import kernel_hash


class ShippedLibrary:
    """As stages.Library: what it is, what it takes, and its launch."""

    name = stage = NAME
    toggles = ""

    def __init__(self, compiler):
        self.library = fp8attention.load(f"build/gpu/{NAME}/{NAME}.so")
        self.compiler = compiler
        self.kernel_hash = kernel_hash(NAME)

    def missing(self, shape):
        return (None if shape.head_dim in (64, 128)
                else "takes D = 64 or 128")

    def launch(self, problem, stream):
        del stream  # forward takes PyTorch's current one, too
        fp8attention.forward(self.library, problem)


def libraries(compiler):
    """The one that there is, by the compiler of the stages."""
    return [ShippedLibrary(compiler)]
