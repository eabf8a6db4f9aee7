"""Who takes part: our stages, and each file of contenders/."""

import glob
import importlib.util
import os

from command import stop
from contender import why

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contenders")


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
    found = [load(path) for path in glob.glob(os.path.join(FOLDER, "*.py"))]
    return sorted(found, key=lambda its: (its.place, its.name))


def everyone_at(problem, libraries, classes):
    """The last of ours that take part is compared; see ours.py."""
    from ours import contender_of

    return ([contender_of(library, problem) for library in libraries]
            + [its(problem) for its in classes])
