"""Stands in for PyTorch where there is none, and no GPU: right in what it
computes, and timed by a clock of its own, which cuda.work() moves."""

from types import SimpleNamespace

from . import cuda
from .cuda import OutOfMemoryError
from .tensors import *

__version__ = "0.standin"
version = SimpleNamespace(cuda="0.0")
backends = SimpleNamespace(cudnn=SimpleNamespace(version=lambda: 0))
