"""The goals that are about the whole tree."""

import glob
import os
import re
import subprocess

from command import (call, commit, did_you_mean, output, kernel_path,
                     python_of_peers, said, stop, text_of, write)
from facts import named
from kernel_hash import kernel_hash
from recorded import files
from verbs import NO_TIMINGS
from words import OTHERS

LIBRARY = "build/gpu/libfp8attention/libfp8attention.so"
RING = "stage18_ring"
HELP = """\
make stage1 bench     gates, then timings (without a GPU: counters)
make stage1 check     the gates alone         make stage1 count   counts by line
make stage1 race      races, open copies      make stage1 resources, profile
make diff-stage1      what stage 1 changes    make stage5 tune, timeline
make book, make serve HTML, PDF and EPUB      make peers, floor   libraries, ceilings
make library, example the last stage for you  make setup, make doctor
make check-all        every check             make labs, lab2, lab2 grade   your own kernel
make race FILE=x.cu   races in a program of your own; also run, count"""


def commands():
    """What compiles and links, as make has written it down."""
    return dict(line.split("=", 1) for line in (
        text_of("build/commands") or "").splitlines())


def helped(its):
    if its.here.include:
        its.build()
    its.say(HELP)
    its.run("tools/doctor/doctor.py", "--brief")


def tensors(its):
    if not os.path.exists(".deps/model/stamp"):
        stop(3, "The model is not here: 'sh tools/setup/setup.sh model' "
             "fetches it.")
    its.run(".deps/model/bin/python", "tools/tensors/record.py",
            "common/tensors/text.txt", "common/tensors/minilm.qkv", "1", "5")


def carry(its):
    """After a kernel's source has changed: what still names its old code, and
    which recorded results still hold."""
    changed = said(["git", "diff", "--name-only", "HEAD"])[1].split()
    its.run("tools/source/fits.py", *(stage for stage in its.words.stages
                                      if kernel_path(stage) in changed))
    its.here.build("need-nvcc")
    for ledger in sorted(glob.glob("results/*/*/machine-code.json")):
        if its.run("tools/results/carry.py", os.path.dirname(ledger), "90a"):
            return


def mutants(its):
    """Each mistake of the stages is built and judged."""
    name = its.words["STAGE"]
    stages = [named(name)] if name else its.words.stages
    if not stages[0]:
        stop(2, f"There is no stage '{name}'; the stages here: "
             f"{' '.join(its.words.stages)}.")
    its.here.build("mutant-needs")
    os.environ.update(commands())
    for stage in stages:
        its.run("tools/mutants/judge/judge.py", stage)


def program(its):
    """A program of the reader's own, with its own main."""
    words = its.words
    its.here.build("need-nvcc" if its.gpu else "program-needs",
                   "build/commands")
    os.environ.update(commands(), SIMT_ORDER=words["ORDER"],
                      PROGRAM_CAPABILITY=its.here.capability)
    its.run("python3", "tools/program/program.py", its.here.target,
            *(words[name] for name in ("FILE", "FLAGS", "ARGS", "LIMIT",
                                       "BLOCKS")), *words.program_verbs)


def tool(its):
    """The same in a folder that can be put anywhere."""
    its.here.build("program-needs", "build/commands")
    os.environ.update(commands())
    its.run("tools/program/pack.py", "build/simt-check", its.here.include,
            *re.findall(r"\S+\.o", os.environ.get("PROGRAM_LINK", "")))


def floor(its):
    program = f"build/{its.here.target}/floor/program"
    show = its.words["JSON"]
    if its.gpu:
        its.here.build(program)
        folder = its.where(program, "folder")
        show = f"{folder}/floor.json"
        if not folder or its.run(
                program, "measure", folder, commit(), own=True) or its.run(
                    "floor/model.py", "--add", show):
            return
    elif its.words["TARGET"] == "cpu":
        its.here.build(program)
        if not its.run(program, "check"):
            its.say(NO_TIMINGS)
        return
    its.run("floor/show.py", show, *its.words["SHAPES"].split())


def with_pytorch(its, name):
    """Where there is no nvcc, the example says what it lacks."""
    folder, its_name = its.words["JSON"], "libfp8attention"
    its.here.build(*([LIBRARY] if its.here.cuda else []))
    its.run(python_of_peers(), f"{its_name}/{name}.py", LIBRARY, *(
        [f"{folder}/{name}.json", its_name, kernel_hash(its_name)]
        if folder else []), own=True)


def library(its):
    its.here.build(LIBRARY)
    its.say(f"The library is {LIBRARY}, its header libfp8attention/"
            "fp8attention.h.")


def timetables(its):
    """The courses of workshop/timetables.list, with the labs' own minutes."""
    write("workshop/timetables.md", output("tools/workshop/timetable.py"))
    its.say("wrote workshop/timetables.md")


def book(its, *command):
    """SITE: the address that the pages will have. STUDENT=1: a book of its own,
    without answers. DRAFT=1: one that may have stale figures, and marks
    them."""
    for name in "SITE", "STUDENT", "DRAFT":
        os.environ[f"BOOK_{name}"] = its.words[name]
    student = "/student" * (its.words["STUDENT"] == "1")
    draft = "/draft" * (its.words["DRAFT"] == "1")
    its.run("book/build.py", *(word.format(
        f"build/book{student}{draft}/html", f"build/book{student}/slides")
        for word in command))


def book_html(its):
    """The pages alone, in half the time: no PDF, no EPUB. PAGE: those of one
    chapter, in the pages that are there."""
    os.environ["BOOK_FORMATS"] = "html"
    if its.words["PAGE"]:
        os.environ["BOOK_PAGE"] = its.words["PAGE"]
    book(its, "book", ".", "{0}")


def arithmetic(its):
    """The rules are those of compute capability 9.0."""
    sums, gpu = "build/tests/sums", its.gpu and its.here.arch == "90a"
    there = f"{sums}.there" if gpu else "tests/arithmetic/sample.txt"
    its.here.build(sums, *([f"{sums}-gpu"] if gpu else []))
    if its.run(sums, f"{sums}.here") or gpu and its.run(f"{sums}-gpu", there):
        return
    if not gpu:
        its.say("No GPU of compute capability 9.0 was used: this compares with "
                f"{there}.")
    its.run("python3", "tests/arithmetic/compare.py", there, f"{sums}.here",
            its.words["JSON"] or "build/arithmetic")


def agree(its):
    if not its.gpu:
        stop(3, "make agree runs the kernels on a GPU, and none is used here.")
    its.here.build("build/tests/simt/driver-gpu")
    its.run("python3", "tests/simt/agree.py", "build/tests/simt/driver-gpu",
            its.words["JSON"] or "build/agree")


def ring_faults(its):
    """What ranks do when one of them fails."""
    folder = its.words["JSON"]
    its.here.build(its.program(RING))
    its.run("tools/faults/faults.py", its.here.target, its.words["RANKS"]
            or "2", *([f"{folder}/faults.txt"] if folder else []), own=True)


def ring_peer(its):
    """PyTorch's context parallel attention, the peer of stage18_ring."""
    folder, python = its.words["JSON"], python_of_peers()
    if not its.words.dry and call([python, "-c", "import torch.distributed"],
                                  stderr=subprocess.DEVNULL):
        stop(3, "This needs PyTorch for CUDA: 'sh tools/setup/setup.sh peers' "
             "installs it.")
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    os.environ["OMP_NUM_THREADS"] = "4"
    its.run(python, "-m", "torch.distributed.run", "--standalone",
            "--nproc-per-node", its.words["RANKS"] or "2",
            "tools/context_parallel/context_parallel.py",
            folder and f"{folder}/context_parallel.json", commit(),
            *(its.words["SHAPES"].split() or [
                "1,8,16384,128", "1,8,16384,128,causal"]), own=True)


# ---- tests

os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
PYTEST = (".deps/tests/bin/python", "-m", "pytest", "-c", "tests/pytest.ini",
          "tests")


def cores():
    return len(os.sched_getaffinity(0))


def pytest(its, *words):
    if not os.access(".deps/tests/bin/pytest", os.X_OK):
        stop(3, "pytest is not installed: make setup")
    its.run(*PYTEST, "-n", str(cores()), *words)


def recorded():
    """The programs that count again what is recorded in STAGE.ARM.count.json,
    or under that name in a pack."""
    for path in (its for folder in glob.glob("results/nvidia-*/*")
                 for its in files(folder) if its.endswith(".count.json")):
        stage, _, arm = os.path.basename(path)[:-11].partition(".")
        yield path, f"build/instrumented/{stage}/{arm or 'default'}/program"


def programs_of(stages):
    return [f"build/{target}/{stage}/default/program" for stage in stages
            for target in ("cpu", "instrumented")]


def needed(its, *words):
    """What is run by the tests that pytest chooses: what the rules of their
    folders list and their sources name, and the stages in their names, or the
    first two, which serve as examples."""
    its.here.build("need-list")
    chosen = said([*PYTEST, "--collect-only", "-q", *words])[1]
    folders = {*re.findall(r"(?m)^(\w[\w-]*)/.*::", chosen)}
    text = chosen + "".join(
        text_of(path) for folder in folders
        for path in glob.glob(f"tests/{folder}/*.py"))
    for line in text_of("build/tests/needs").split():
        folder, _, program = line.partition("=")
        if folder in folders or re.search(
                rf"{re.escape(program)}(?![\w./-])", text):
            yield program
    yield from (program for path, program in recorded() if path in chosen)
    yield from programs_of(one for one in its.words.stages if one in chosen)
    if re.search(r"stage\(|stage[01]_|STAGES", text):
        yield from programs_of(its.words.stages[:2])


def tested(its, *more):
    """Everything that can be checked here, in one list: on all cores, unless
    the reader said on how many."""
    only = its.words["ONLY"]
    words = [*more, *(["-k", only] if only else [])]
    its.here.build(*(needed(its, *words) if only and not its.words.dry else [
        "need-tests", *sorted({program for _, program in recorded()})]),
                   jobs=cores())
    pytest(its, *words)


def accept(its):
    """All that a stage must pass before it is committed, and the labs on it; or
    a lab alone."""
    stages = [name for name in its.words.picked if name in its.words.stages]
    if not (stages or its.words.picked_labs):
        stop(2, "accept needs a stage of the ladder or a lab, as in 'make stage9 "
             "accept'.")
    for lab in its.words.picked_labs:
        if its.run("tools/labs/labs.py", "fits", lab) or any(its.run(
                "make", "--no-print-directory", goal, f"ONLY=[{lab}]")
                for goal in ("test", "check-more")):
            return
    for stage in stages:
        labs = [f" or [{lab}]" for lab, of in its.words.labs.items()
                if of == stage]
        only = f"ONLY={stage} {' '.join(labs)}"
        if its.run("tools/source/fits.py", stage):
            return
        for words in ([stage, "check", "race", "resources"],
                      ["mutants", f"STAGE={stage}"], ["test", only],
                      ["check-more", only]):
            if its.run("make", "--no-print-directory", *words):
                return


# ---- labs

def labs(its):
    """make lab2 lays a lab out; LAB_VERBS do what labs alone have."""
    words, build = its.words, its.here.build
    verb = (words.lab_verbs + ["lay-out"])[0]
    names = words.picked_labs
    if verb == "watch":  # it starts a make for each grade
        its.run("tools/labs/labs.py", "watch", *names)
        return
    # Nobody changes what is built of a reader's file while it is graded.
    with its.here.turn("build/labs/.lock"):
        if names == ["bughunt"]:
            build("hunt-needs")
            its.run("tools/bughunt/bughunt.py", verb)
        elif verb == "grade":
            os.environ["RANKS"] = words["RANKS"] or "3"
            of = [words.labs[lab] for lab in names]
            ring = {*of} & {*words.others}
            if ring:
                build("need-mpi")
            build("grade-needs", *(
                path for stage in of if stage not in (*words.others, "hopper")
                for path in (f"build/cpu/{stage}/default/judge",
                             f"build/instrumented/{stage}/default/program")),
                  *(["ring-grade-needs"] if ring else []))
            for lab in names:
                its.failed(1 if its.run("tools/labs/labs.py", verb, lab)
                           else 0)
        else:
            for lab in names:
                if its.run("tools/labs/labs.py", verb, lab):
                    return


def runs(*command):
    return lambda its: its.run(*(its.words[word] if word.isupper() else word
                                 for word in command))


GOALS = {
    "help": helped,
    "build": lambda its: its.build(),
    "doctor": runs("tools/doctor/doctor.py"),
    "clean": runs("rm", "-rf", "build"),
    "readme": runs("tools/readme/readme.py"),
    "size": runs("tools/size/size.py"),
    "results-check": runs("tools/results/check.py", "DIR"),
    "results-pack": runs("tools/results/pack.py", "DIR"),
    "carry": carry,
    "tensors": tensors,
    "scales": lambda its: (its.here.build("build/tools/scales"), its.run(
        "build/tools/scales", its.words["JSON"] or "results")),
    "mutants": mutants,
    "tool": tool,
    "floor": floor,
    "library": library,
    "example": lambda its: with_pytorch(its, "example"),
    "path": lambda its: with_pytorch(its, "path"),
    "arithmetic": arithmetic,
    "agree": agree,
    "fooled": lambda its: (its.here.build("fooled-needs"), its.run(
        "tests/fooled/fooled.py", its.words["EXPERIMENT"])),
    "ring-faults": ring_faults,
    "ring-peer": ring_peer,
    "labs": runs("tools/labs/labs.py", "list"),
    "timetables": timetables,
    "workshop-check": runs("tools/workshop/check.py", "MINE",
                           "build/cpu/stage1_cp_async/default/program"),
    "roster": lambda its: (os.environ.setdefault("LAB_NVCC", "0"), its.run(
        "tools/workshop/roster.py", its.words["DIR"])),
    "slides": lambda its: book(its, "slides", ".", "{1}"),
    "book": lambda its: book(its, "book", ".", "{0}"),
    "book-html": book_html,
    "serve": lambda its: book(its, "serve", "{0}", its.words["PORT"]
                              or "8000"),
    "refresh-output": runs("book/refresh_output.py"),
    "check-all": tested,
    "test": tested,
    "check-more": lambda its: tested(its, "--more"),
    "reproduce": lambda its: pytest(its, "--more", "-k", "reproduce"),
    "accept": accept,
}


def is_file(name):
    return name not in GOALS and not name.startswith("diff-")


def goal_of(its, name):
    """Does what a goal says that is no file."""
    if name in GOALS:
        GOALS[name](its)
    else:
        its.run("tools/diff/diff.py", "stages", name[5:], *its.words.stages)


def check(words):
    """The program's end where a word is none."""
    for name in words.goals:
        if not is_file(name) or re.fullmatch(r"[\w./+-]+", name) and (
                name.startswith("build/") or os.path.exists(name)):
            continue
        known = [*words.known, *GOALS, *OTHERS.split()]
        if name.startswith("stage"):
            text = (f"There is no {name}; the stages here: "
                    f"{' '.join(words.stages)}.")
        elif name.startswith("lab"):
            text = (f"There is no {name}; the labs here ('make labs' says "
                    f"more): {' '.join(words.labs)}.")
        else:
            text = f"There is no goal '{name}'; 'make' alone lists them."
        stop(2, text + did_you_mean(name, known))
