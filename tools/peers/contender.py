"""What each contender is. contenders/README.md says how to add one."""

import contextlib
import functools
import glob
import importlib.util
import os

from command import stop

# Twice what FP8 kernels that round P to E4M3 too are known to err by.
LARGEST_REL_RMS = 0.04


def why(reason):
    """The first line of an exception, or its kind where it says nothing."""
    lines = str(reason).strip().splitlines()
    return (lines[0] if lines else type(reason).__name__)[:60]


@functools.cache
def package(name, sold_as=None):
    """(module, None); or (None, half a sentence on why not). Asked once: some
    packages cannot be imported a second time after they have failed."""
    try:
        return importlib.import_module(name), None
    except ModuleNotFoundError as reason:
        if reason.name == name:
            return None, "no " + (sold_as or name)
        broken = reason
    # What somebody else's package does when it is imported is its own affair.
    except (Exception, SystemExit) as reason:
        broken = reason
    return None, (f"{name} does not load: {type(broken).__name__}: "
                  f"{why(broken)}")


class Contender:
    """Made for a problem (problem.py); prepare() and launch() may raise
    anything: gate() in judge.py says so and goes on with the others."""

    name = None  # that of its file
    precision = "fp16"  # of Q, K and V
    place = 100  # in the table; those with the same stand by name
    largest_rel_rms = LARGEST_REL_RMS

    def __init__(self, problem):
        self.problem = problem
        self.out = None

    @classmethod
    def unavailable(cls):
        """Half a sentence on why it cannot run here, whatever the shape."""
        return None

    @classmethod
    def version(cls):
        return None

    def missing(self):
        """Half a sentence on what it lacks for the shape, or None."""
        return None

    def prepare(self):
        """Makes what launch() reads, once and untimed."""

    def context(self):
        """Entered where no clock runs; launch() is called in it."""
        return contextlib.nullcontext()

    def launch(self):
        """Starts the work on PyTorch's current stream."""
        raise NotImplementedError

    def output(self):
        """[B, H, S, D], in any precision that can be converted to double."""
        return self.out


class Twin:
    """A contender once more: how far it is from itself is the noise."""

    def __init__(self, contender):
        self.contender = contender
        self.name = contender.name + " once more"
        self.context, self.launch = contender.context, contender.launch


def load(path):
    """The class Contender of a file; the program's end, where there is
    none."""
    name = os.path.splitext(os.path.basename(path))[0]
    shown = os.path.relpath(path)
    spec = importlib.util.spec_from_file_location("contenders." + name, path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as reason:
        stop(2, f"{shown} does not load: {type(reason).__name__}: "
             f"{why(reason)}.")
    its = getattr(module, "Contender", None)
    lacking = [part for part in ("unavailable", "prepare", "launch", "output")
               if not callable(getattr(its, part, None))]
    if lacking:
        stop(2, f"{shown} has no class Contender with {lacking[0]}(): the "
             "README.md beside it says what that is.")
    its.name = name
    return its


def contenders():
    """The classes, in the order of the table."""
    from sdpa import KINDS
    found = [load(path) for path in glob.glob(
        f"{os.path.dirname(os.path.abspath(__file__))}/contenders/*.py")]
    return sorted(found + KINDS, key=lambda its: (its.place, its.name))
