"""Our stages and libfp8attention beside PyTorch's attention and other libraries',
contenders/: one process, one clock.

  peers.py run FOLDER COMMIT LIBRARY... [-- SHAPE...]  measures, writes
                                                  FOLDER/peers.json
  peers.py show FILE                              prints a recorded one
  peers.py have                                   is there a PyTorch for a GPU?

A shape is a name of common/harness/settings.json, B,H,S,D or B,H:KV,S,D, with
,causal behind it for a mask. 'sweep' alone is those that draw_shapes.py draws,
and writes FOLDER/sweep.json, 'sweep2' alone a second draw, with
FOLDER/sweep2.json; 'real' alone judges all on a model's tensors, and writes
FOLDER/real.json. Exit: 0; 1 a contender computes something else; 2 usage;
3 this machine cannot."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import end, stop, verb_of, write
import compact
from recorded import Section, read
from shapes import REAL, SWEEP, shape_of, shapes_of_sweep
from tables import real as real_table
from tables import sweep as sweep_table
from tables import timed as timed_table

SHAPES = ["small", "mission", "2,8,512,64", "long", "large"]
OFFSET = 4.0


def show(table, result):
    """Prints a result, a Section of recorded.py: all of it, or Unreadable."""
    print("\n".join(list(table.lines(result))))


def errors_with_offset(libraries, classes, shape):
    """By name, where V's numbers lie around 4: long sums of them are not near
    zero. An error here keeps nobody from taking part."""
    from everyone import everyone_at
    from judge import gate
    from problem import Problem, drawn

    problem = Problem(shape, drawn(shape, v_mean=OFFSET))
    reference = problem.reference()
    found = {c.name: gate(c, reference)
             for c in everyone_at(problem, libraries, classes)}
    return {name: its["rel_rms"] for name, its in found.items()
            if "rel_rms" in its}


def one_shape(libraries, classes, shape):
    from clock import Power, cannot_capture, measure
    from contender import Twin
    from everyone import everyone_at
    from judge import absent, gate
    from ours import ours_of
    from problem import Problem, drawn
    from samples import noise

    offset = errors_with_offset(libraries, classes, shape)
    problem = Problem(shape, drawn(shape))
    reference = problem.reference()
    everyone = everyone_at(problem, libraries, classes)
    entries = {c.name: gate(c, reference) for c in everyone}
    for name, error_there in offset.items():
        entries[name]["rel_rms_offset"] = error_there
    for c in everyone:
        reason = "absent" not in entries[c.name] and cannot_capture(c)
        if reason:
            entries[c.name] |= absent(reason)
    able = [c for c in everyone if "absent" not in entries[c.name]]
    if not able:
        stop(1, f"Nobody computes the shape {shape}.")
    twin = Twin(ours_of(able) or able[-1])
    with Power() as power:
        times = measure(able + [twin])
    for contender, its in zip(able, times):
        entry = entries[contender.name] | its
        entry["tflops"] = shape.flop / its["graph"]["p50_us"] * 1e-6
        entries[contender.name] = entry
    single = times[able.index(twin.contender)]
    groups = {"kv_heads": shape.kv_heads} if shape.grouped else {}
    return {"shape": shape.numbers, **groups, "causal": shape.causal,
            "flop": shape.flop, "twin_of": twin.contender.name,
            "noise_us": noise(single["graph"]["samples_us"],
                              times[-1]["graph"]["samples_us"]),
            "clocks": power.figures(), "contenders": entries}


def finish(path, result, table, shapes, times=True):
    """Shows and writes; ends with 1 where somebody was wrong: shapes are pairs
    of a name and what the record says of it."""
    from judge import wrong_sentence

    show(table, Section("The result", (), result))
    write(path, compact.text(result))
    print(f"wrote {path}")
    wrong = [(who, name) for name, shape in shapes
             for who, entry in shape.get("contenders", {}).items()
             if "wrong" in entry]
    if wrong:
        stop(1, wrong_sentence(wrong, times))


def prepared(paths, commit):
    """Libraries, the classes of contenders/, and the record's beginning."""
    from about import meta_of
    import shipped
    from everyone import contenders
    from stages import Library

    classes = contenders()
    libraries = [Library(path) for path in paths]
    libraries += shipped.libraries(libraries[-1].compiler)
    return libraries, classes, {
        "build_meta": meta_of(libraries, classes, commit)}


def run(folder, commit, paths, names):
    try:
        shapes = {name: shape_of(name) for name in names or SHAPES}
    except ValueError as reason:
        stop(2, str(reason))
    path = os.path.join(folder, "peers.json")
    write(path)
    import torch

    from about import ceilings_of, recorded_floor

    libraries, classes, result = prepared(paths, commit)
    result["peers"] = {}
    ceilings = ceilings_of(
        recorded_floor(result["build_meta"]["device"]["name"]), shapes)
    for name, shape in shapes.items():
        print(f"measuring {name} ...", file=sys.stderr)
        result["peers"][name] = one_shape(libraries, classes, shape) | {
            "ceiling": ceilings[name]}
        torch.cuda.empty_cache()
    finish(path, result, timed_table, result["peers"].items())


def run_sweep(folder, commit, paths, name):
    shapes = shapes_of_sweep(name)
    path = os.path.join(folder, name + ".json")
    write(path)
    from sweep import sweep

    libraries, classes, result = prepared(paths, commit)
    result["sweep"], end = sweep(
        libraries, classes, shapes, lambda line: print(line, file=sys.stderr))
    finish(path, result, sweep_table,
           result["sweep"]["shapes"].items())
    if end:
        stop(3, end)


def run_real(folder, commit, paths, name):
    from tensors import read_tensors

    tensors = read_tensors()
    path = os.path.join(folder, name + ".json")
    write(path)
    from real import judge_all

    libraries, classes, result = prepared(paths, commit)
    result["real"] = judge_all(libraries, classes, tensors)
    finish(path, result, real_table, result["real"].items(),
           times=False)


def have():
    try:
        import torch
    except ImportError:
        stop(3, "This Python has no PyTorch.")
    if not torch.cuda.is_available():
        stop(3, "This PyTorch finds no GPU.")


def show_file(path):
    result = read(path)
    show(next((table for key, table in (("sweep", sweep_table),
                                        ("real", real_table))
               if key in result.value), timed_table), result)


def run_any(folder, commit, *words):
    """Libraries, and behind -- shapes."""
    at = words.index("--") if "--" in words else len(words)
    paths, names = words[:at], words[at + 1:]
    if not paths:
        stop(2, __doc__)
    its = next((name for name in names
                if name == REAL or SWEEP.fullmatch(name)), None)
    if its and len(names) > 1:
        stop(2, f"'{its}' is a run of its own: give no other shape beside it.")
    if its:
        return (run_real if its == REAL else run_sweep)(folder, commit, paths,
                                                        its)
    return run(folder, commit, paths, names)


def main(words):
    return verb_of(__doc__, {"have": have, "show": show_file,
                             "run": run_any}, words)


if __name__ == "__main__":
    end(main, sys.argv[1:])
