#!/usr/bin/env python3
"""Our stages and libfp8attention beside PyTorch's attention and other libraries',
contenders/: one process, one clock.

  peers.py run FOLDER COMMIT LIBRARY... [-- SHAPE...]  measures, writes
                                                  FOLDER/peers.json
  peers.py show [FILE | FOLDER [SHAPE...]]        prints a recorded one, or the
                                                  newest

A shape is a name of common/harness/settings.json, B,H,S,D or B,H:KV,S,D, with
,causal behind it for a mask. 'sweep' alone is those that draw_shapes.py draws,
and writes FOLDER/sweep.json, 'sweep2' alone a second draw, with
FOLDER/sweep2.json; 'real' alone judges all on a model's tensors, and writes
FOLDER/real.json. Exit: 0; 1 a contender computes something else; 2 usage;
3 this machine cannot."""

import glob
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
sys.path[:0] = glob.glob(".deps/fa3-fwd-*")  # where setup has put it
from command import end, stop, verb_of, write
import tables
from recorded import Section, as_json, newest, newest_of, read
from shapes import REAL, SWEEP, shape_of, shapes_of_sweep

SHAPES = ["small", "mission", "2,8,512,64", "long", "large"]


def prepared(paths, commit):
    """Libraries, the classes of contenders/, and the record's beginning."""
    try:
        import torch
    except ImportError:
        torch = None
    if not torch or not torch.cuda.is_available():
        finds = " that finds a GPU" if torch else ""
        stop(3, f"This Python has no PyTorch{finds}, and peers needs one for "
             "CUDA: 'sh tools/setup/setup.sh peers' installs it.")
    import stages
    from about import meta_of
    from contender import contenders

    classes = contenders()
    libraries = [stages.Library(path) for path in paths]
    libraries += stages.shipped(libraries[-1].compiler)
    return libraries, classes, {
        "build_meta": meta_of(libraries, classes, commit)}


def run_shapes(folder, libraries, classes, result, shapes):
    from about import ceilings_of, recorded_floor
    from measure import one_shape

    result["peers"] = {}
    # What 'make floor' measured, here, or the newest first
    floors = newest("floor.json", folder)[:1] + newest("floor.json")
    ceilings = ceilings_of(recorded_floor(
        result["build_meta"]["device"]["name"], floors), shapes)
    for name, shape in shapes.items():
        print(f"measuring {name} ...", file=sys.stderr)
        found = one_shape(libraries, classes, shape)
        if "absent" in found:
            stop(1, f"Nobody computes the shape {name}.")
        result["peers"][name] = found | {"ceiling": ceilings[name]}
    return result["peers"]


def alone_of(names):
    """The one of them that is a run of its own, or None."""
    return next((name for name in names
                 if name == REAL or SWEEP.fullmatch(name)), None)


def run(folder, commit, *words):
    """Libraries, and behind -- shapes."""
    at = words.index("--") if "--" in words else len(words)
    paths, names = words[:at], words[at + 1:]
    if not paths:
        stop(2, __doc__)
    alone = alone_of(names)
    if alone and len(names) > 1:
        stop(2, f"'{alone}' is a run of its own: give no other shape beside "
             "it.")
    try:
        shapes = {} if alone else {name: shape_of(name)
                                   for name in names or SHAPES}
    except ValueError as reason:
        stop(2, str(reason))
    if alone == REAL:
        from tensors import read_tensors
        tensors = read_tensors()
    path = os.path.join(folder, f"{alone or 'peers'}.json")
    write(path)
    libraries, classes, result = prepared(paths, commit)
    ends = None
    if alone == REAL:
        from real import judge_all
        result["real"] = found = judge_all(libraries, classes, tensors)
    elif alone:
        from sweep import sweep
        result["sweep"], ends = sweep(libraries, classes,
                                      shapes_of_sweep(alone))
        found = result["sweep"]["shapes"]
    else:
        found = run_shapes(folder, libraries, classes, result, shapes)
    tables.show(Section("The result", (), result))
    write(path, as_json(result))
    print(f"wrote {path}")
    wrong = ", ".join(f"{who} at {name}" for name, shape in found.items()
                      for who, entry in shape.get("contenders", {}).items()
                      if "wrong" in entry)
    if wrong:
        stop(1, f"Wrong{', and so not timed' * (alone != REAL)}: {wrong}.")
    if ends:
        stop(3, ends)


def show(place="", *shapes):
    if not place.endswith(".json"):
        kind = alone_of(shapes) or "peers"
        place = newest_of(f"{kind}.json", place) or stop(
            3, f"peers needs a GPU, and no {kind} is recorded.")
    tables.show(read(place))


if __name__ == "__main__":
    end(verb_of, __doc__, {"show": show, "run": run}, sys.argv[1:])
