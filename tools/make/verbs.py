"""The verbs of one make, one after another, on what they need, which is built
before. The exit code is that of the first verb that failed: 1 gate, 2 usage, 3
not possible here."""

import os
import re
import shlex
import shutil
import sys

from alone import alone
from command import (call, commit, cuda_on_path, folder_of, output,
                     python_of_peers, results_of_today, stop, text_of)

LAUNCH = "further/stage18_ring/launch.py"  # starts ranks
NOT_ON_RANKS = {
    "count": "its work is the library's, which 'make stage17 count' counts",
    "tune": "it has no toggles; MULTIPROCESSORS and EXCHANGE are its arms",
    "profile": "its work is the library's: 'make stage17 profile'",
    "timeline": "its bench writes when each rank computed and exchanged",
    "peers": "its peer is PyTorch's context parallel attention: 'make "
             "ring-peer'",
    "compare": "its bench compares one card with several"}
NO_TIMINGS = ("No GPU was used, so there are no timings: the executor predicts "
              "none.")


class Verbs:
    def __init__(self, words, here):
        self.words, self.here, self.status = words, here, 0
        self.gpu = here.target == "gpu"
        if self.gpu and {"tune", "timeline"} & {*words.verbs}:
            os.environ["COMMIT"] = commit()
        self.arms = self.against = ()
        self.folder = words["JSON"]
        if not self.folder and words.picked_labs:
            self.folder = f"{words['MINE']}/{words.picked_labs[0]}"

    # ---- how commands are run

    def failed(self, code):
        self.status = self.status or code
        return code

    def run(self, *command, own=False, ranks=False):
        """With -n it is only said. `own`: not while another uses the GPU;
        `ranks`: a launcher's own code is no verdict of a gate."""
        if self.words.dry:
            print(shlex.join(command))
            return 0
        code = (alone if own and self.gpu else call)(command)
        return self.failed(3 if ranks and code not in (0, 1, 2, 130)
                           else code)

    def say(self, text):
        print(text if not self.words.dry else f": {text}")

    def where(self, program, *asked):
        """results/DEVICE/DATE, unless JSON named another; None, and said,
        where there is no device."""
        if self.folder or self.words.dry:
            return self.folder or "results/DEVICE/DATE"
        return results_of_today(program, *asked or ("info", "--folder")) or (
            self.failed(3) and None)

    # ---- what is built before

    def program(self, arm, target=""):
        return f"build/{target or self.here.target}/{arm}/program"

    def cubin(self, arm):
        return f"build/gpu/{arm}/sm_{self.here.arch}.cubin"

    def left_out(self):
        """Asked of all stages, a GPU runs those that it can."""
        words = self.words
        if words.picked or words.picked_labs or not self.gpu or (
                words.verbs and not {*words.verbs} - {
                    "count", "resources", "compare"}):
            return
        for arm in self.arms[:]:
            stage = arm.partition("/")[0]
            why = self.here.needs(stage, self.here.arch)
            if why:
                self.say(f"{stage} is left out: it {why}")
                self.arms.remove(arm)

    def needed(self, verb):
        built = [self.program(arm) for arm in self.arms]
        watched = [self.program(arm, "instrumented") for arm in self.arms]
        others = [f"build/gpu/{arm}/kernel.so" for arm in self.against]
        if verb == "bench":
            return built + (others + [
                self.cubin(arm) for arm in [*self.arms, *self.against]]
                if self.gpu else watched)
        if verb == "peers":
            return [*built, *others, *(f"build/gpu/{arm}/kernel.so"
                                       for arm in self.arms),
                    "build/gpu/libfp8attention/libfp8attention.so"
                    ] if self.gpu else []
        if verb == "timeline":
            arms = [arm for arm in self.arms if self.has_phases(arm)]
            return [f"build/{self.here.target}/{arm}/timeline"
                    for arm in arms] + [
                        its for arm in arms if self.gpu
                        for its in (self.cubin(arm), self.program(arm))]
        if verb == "resources":
            return [f"build/gpu/{arm}/sm_{arch}.cubin" for arm in self.arms
                    for arch in self.here.architectures(arm.partition("/")[0])
                    or "80 89 90a 100 120".split()]
        return {"check": built, "count": watched,
                "profile": built if self.gpu else [],
                "tune": built if self.gpu else [],
                "race": watched + (built if self.gpu else [])}.get(verb, [])

    def has_phases(self, arm):
        path = f"{folder_of(arm.partition('/')[0])}/stage.toml"
        return re.search("(?m)^phases", text_of(path) or "")

    # ---- the verbs

    def select(self):
        self.arms = self.words.arms()
        self.against = self.words.against(self.arms)
        self.left_out()

    def build(self):
        self.select()
        built = [self.program(arm) for arm in self.arms]
        self.here.build(*built, *(
            self.program(arm, "instrumented") for arm in self.arms
            if self.here.include))
        if self.words.picked:
            for program in built:
                self.say(f"built {program}")

    def all(self):
        self.select()
        self.here.build(*(its for verb in self.words.verbs
                          for its in self.needed(verb)))
        for verb in self.words.verbs:
            act = getattr(self, verb)
            if verb in ("compare", "peers", "resources"):
                act()
                continue
            for arm in self.arms:
                act(arm)

    def check(self, arm):
        self.run(self.program(arm), "check", *self.words.options(), own=True)

    def race(self, arm):
        """The executor's checks, and on a GPU the same questions put to
        compute-sanitizer."""
        options = self.words.options()
        if self.run(self.program(arm, "instrumented"), "race", *options
                    ) or not self.gpu:
            return
        cuda_on_path()
        checker = shutil.which("compute-sanitizer")
        if not checker:
            self.say("compute-sanitizer is not here: the GPU itself was not "
                     "checked.")
        if "--shape" not in options:
            options += "--shape small --shape odd --shape 1,2,17,64".split()
        for tool in "memcheck", "racecheck", "synccheck", "initcheck":
            if not checker or self.run(
                    checker, "--tool", tool, "--error-exitcode", "1",
                    self.program(arm), "check", "--brief", "--seeds", "0",
                    *options, own=True):
                return

    def count(self, arm):
        return self.run(
            self.program(arm, "instrumented"), "count", "--commit", commit(),
            *(["--json", self.folder] if self.folder else []),
            *self.words.options())

    def bench(self, arm):
        program = self.program(arm, "" if self.gpu else "instrumented")
        where = self.where(program)
        if not where:
            return
        options = self.words.options()
        if not self.gpu:
            if not self.run(self.program(arm), "check", "--brief", *options
                            ) and not self.run(
                    program, "count", "--commit", commit(), "--json", where,
                    *options):
                self.say(NO_TIMINGS)
            return
        options += ["--resources", self.report(arm)]
        for other in self.against:
            if other != arm:
                options += ["--against", f"build/gpu/{other}/kernel.so",
                            "--resources", self.report(other)]
        self.run(program, "bench", "--commit", commit(), "--json", where,
                 *options, own=True)

    def report(self, arm):
        return "..." if self.words.dry else output(
            "tools/resources/resources.py", "read",
            self.cubin(arm) + ".ptxas").strip()

    def profile(self, arm):
        if not self.gpu:
            self.run("tools/profile/profile.py", "read", arm, self.folder)
        elif where := self.where(self.program(arm)):
            self.run("tools/profile/profile.py", "record", arm, where,
                     *self.words["SHAPES"].split(), own=True)

    def tune(self, arm):
        stage, _, name = arm.partition("/")
        if name != "default":
            self.refuse("tune searches the toggles itself: leave them out.")
        elif not self.gpu:
            self.refuse("tune times arms, which needs a GPU.", 3)
        elif where := self.where(self.program(arm)):
            self.run("tools/tune/tune.py", stage, where)

    def timeline(self, arm):
        # Asked of all stages, it is about those that have a list of phases.
        if not self.words.picked and not self.has_phases(arm):
            return
        where = (self.where(self.program(arm)) if self.gpu else self.folder)
        if where is not None:
            self.run("tools/timeline/timeline.py", self.here.target, arm, where,
                     *self.words.options(), own=True)

    def refuse(self, sentence, code=2):
        if not self.words.dry:
            print(sentence, file=sys.stderr)
            self.failed(code)

    def resources(self):
        self.run("tools/resources/resources.py", "table", *(
            f"{arm}:{self.here.stage_of(arm.partition('/')[0])}"
            for arm in self.arms))
        self.run("tools/resources/instructions.py", "table", *self.arms)

    def compare(self):
        """What is selected as candidate, AGAINST as base; or two stages."""
        gate = [f"--gate={self.words['GATE']}"] if self.words["GATE"] else []
        pairs = [(base, arm) for arm in self.arms for base in self.against
                 if base != arm]
        if not self.against and len(self.arms) == 2:
            pairs = [tuple(self.arms)]
        elif not self.against:
            self.refuse("compare needs two stages, or one and AGAINST, as in: "
                        "make stage0 stage1 compare")
        for pair in pairs:
            self.run("tools/compare/compare.py", *gate,
                     f"--recorded={self.folder}", *pair)

    def peers(self):
        """All arms in one process, and the shapes behind them."""
        shapes = self.words["SHAPES"].split()
        command = python_of_peers(), "tools/peers/peers.py"
        if not self.gpu:
            self.run(*command, "show", self.folder, *shapes)
        elif where := self.where(self.program(self.arms[0])):
            self.run(*command, "run", where, commit(), *(
                f"build/gpu/{arm}/kernel.so" for arm in [
                    *self.arms, *self.against]), "--", *shapes, own=True)

    # ---- what is of several ranks

    def ring(self, name):
        """The verbs of a stage or lab whose programs run on ranks. A lab has no
        program for GPUs: what it checks is on the executor."""
        lab = name in self.words.labs
        target = "cpu" if lab else self.here.target
        arm = f"{name}/default" if lab else name
        needs = {"check": self.program(arm, target),
                 "race": self.program(arm, "instrumented")}
        needs["resources"] = f"build/gpu/{name}/default/sm_90a.cubin"
        if not lab:
            needs["bench"] = needs["check"]
        verbs = self.words.verbs
        if not verbs:
            self.here.build(needs["check"], *(
                [needs["race"]] if target == "cpu" else []))
            return self.say(f"built {needs['check']}")
        ranks = self.words["RANKS"] or "23"[lab]
        if not re.fullmatch("[1-9][0-9]*", ranks):
            stop(2, "RANKS is how many ranks are started, 1 or more, not "
                 f"'{ranks}'.")
        self.here.build(*(needs[verb] for verb in verbs if verb in needs))
        for verb in verbs:
            self.on_ranks(name, verb, ranks, self.program(
                arm, "instrumented" if verb == "race" else target))
        return None

    def on_ranks(self, name, verb, ranks, program):
        if verb in NOT_ON_RANKS:
            self.refuse(f"{name} has no {verb}: {NOT_ON_RANKS[verb]}.", 3)
        elif verb == "resources":
            self.run("tools/resources/resources.py", "table",
                     f"{name}/default:{self.here.stage_of(name)}")
        elif verb != "bench":
            self.run(LAUNCH, ranks, program, verb, *self.words.options(True),
                     ranks=True)
        elif where := self.where(program, "folder"):
            self.run(LAUNCH, ranks, program, "bench", "--commit", commit(),
                     "--json", where, *self.words.options(True), own=True,
                     ranks=True)
