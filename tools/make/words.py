"""What was typed after make: goals that select, verbs, and settings. All of it
is read here, once, and is wrong here, before anything is built."""

import glob
import json
import os
import re

from command import did_you_mean, folder_of, stop, text_of
from facts import ladder, named
from toggles import arm_of, ruled_out, settings_of, toggles_of

VERBS = "check bench count race resources compare profile tune peers timeline"
LAB_VERBS = "grade hint watch solution reset"
# What else can be typed, as the book lists it
OTHERS = "stageN labN diff-stageN bughunt run setup downloads"
# What may be set after make or in the environment; anything else is a toggle.
SETTINGS = "SHAPES SEEDS DISTRIBUTIONS ITERS ORDER MULTIPROCESSORS TARGET \
  ARCH AGAINST JSON FLUSH_L2 GATE CC CXX CUDA_HOME PORT V EXPERIMENT STAGE \
  RANKS EXCHANGE SAMPLE SITE DIR MINE OFFLINE SEED LEVEL STUDENT DRAFT ONLY \
  FILE FLAGS ARGS LIMIT BLOCKS PAGE LAB_NVCC LAB_SECONDS"


def typed():
    """NAME: VALUE of each setting, as MAKEFLAGS spells them: behind --, with a
    backslash before a blank or a backslash, and each dollar twice."""
    found = {}
    words = re.split("(?:^| )-- ", os.environ.get("MAKEFLAGS", ""), maxsplit=1)
    for word in re.findall(r"(?s)(?:\\.|[^\\ \t])+", "".join(words[1:])):
        name, _, value = re.sub(
            r"(?s)\\(.)|\$(\$)", r"\1\2", word).partition("=")
        found[re.sub(r"\s*[:+?!]*$", "", name)] = value.lstrip()
    return found


def flags():
    """The letters among make's own options."""
    first = os.environ.get("MAKEFLAGS", "").partition(" ")[0]
    return "" if first.startswith("-") or "=" in first else first


def lab_says(lab, key):
    """An entry of a lab's file, which has one a line."""
    its = re.search(rf"(?m)^{key}: *(.*)", text_of(
        "".join(glob.glob(f"labs/*/{lab}.lab"))) or "")
    return its[1] if its else ""


class Words:
    def __init__(self, names):
        self.typed = typed()
        self.dry = "n" in flags()
        self.settings = {name: os.environ.get(name, "")
                         for name in SETTINGS.split()}
        self.settings.update((name, value) for name, value in
                             self.typed.items() if name in self.settings)
        self.settings["MINE"] = self.settings["MINE"] or "mine"
        self.toggles = [f"{name}={value}" for name, value in
                        reversed(self.typed.items())
                        if name not in self.settings]
        self.stages = ladder()
        self.others = [os.path.basename(os.path.dirname(path)) for path in
                       glob.glob("stage*_*/stage.mk")
                       + glob.glob("further/*/stage.mk")]
        self.labs = {os.path.basename(path)[:-4]: lab_says(
            os.path.basename(path)[:-4], "stage")
            for path in sorted(glob.glob("labs/*/*.lab"))}
        self.program = "FILE" in self.typed
        self.select(names)

    def __getitem__(self, name):
        return self.settings[name]

    def select(self, names):
        """What each word is: a stage, a lab, a verb, a file below build/, or a
        goal that is about the whole tree."""
        stage_of = {its: name for name in self.stages + self.others
                    for its in (name, name.partition("_")[0])}
        self.picked, self.picked_labs, self.verbs = [], [], []
        self.lab_verbs, self.goals = [], []
        kinds = [(stage_of, self.picked), ({*self.labs, "bughunt"},
                                           self.picked_labs),
                 (VERBS.split(), self.verbs),
                 (LAB_VERBS.split(), self.lab_verbs)]
        # Of a stage or a lab, `test` is its check.
        if any(name in kinds[0][0] or name in kinds[1][0] for name in names):
            names = ["check" if name == "test" else name for name in names]
        for name in dict.fromkeys(names):
            for known, found in kinds:
                if name in known:
                    found.append(stage_of.get(name, name))
                    break
            else:
                self.goals.append(name)
        # Of a program with its own main
        self.program_verbs = [name for name in names if name == "run" or (
            self.program and name in ("race", "count"))]
        if self.program:
            self.verbs = [name for name in self.verbs
                          if name not in self.program_verbs]
        self.goals = [name for name in self.goals if name != "run"]
        self.known = [*stage_of, *self.labs, "bughunt", *VERBS.split(),
                      *LAB_VERBS.split()]

    def any(self):
        return (self.picked or self.picked_labs or self.verbs
                or self.lab_verbs)

    def check(self):
        """The program's end where words do not go together."""
        first = (self.picked + self.picked_labs + [""])[0]
        labs = " ".join([*self.labs, "bughunt"])
        if self.program:
            if first:
                stop(2, "FILE is a program of its own: leave out "
                     f"{first}.")
            if not self.program_verbs:
                stop(2, "FILE goes with run, race or count, as in 'make race "
                     "FILE=mine/x.cu'.")
        if self.picked_labs and self.picked:
            stop(2, "Labs and stages are not asked for together: "
                 f"'{self.picked_labs[0]}' and '{self.picked[0]}'.")
        if "bughunt" in self.picked_labs and self.picked_labs[1:]:
            stop(2, "A hunt and labs are not asked for together.")
        if self.lab_verbs[1:]:
            stop(2, f"One of {' '.join(self.lab_verbs)} at a time.")
        if self.lab_verbs and not self.picked_labs:
            verb = self.lab_verbs[0]
            stop(2, f"{verb} needs a lab, as in 'make lab2 {verb}'; the labs "
                 f"here: {labs}.")
        for word in self.toggles:
            name = word.partition("=")[0]
            if not (self.picked or self.picked_labs or self.verbs) and not (
                    {"build", "help"} & {*self.goals}):
                stop(2, f"There is no setting '{name}', and a toggle needs a "
                     "stage, as in 'make stage1 check USE_CP_ASYNC=0'."
                     + did_you_mean(name, self.settings))
        self.check_labs()
        self.check_ring()
        self.check_shapes()
        self.check_environment()

    def check_labs(self):
        has = "check race count bench resources".split()
        for verb in self.verbs:
            if self.picked_labs and verb not in has:
                stop(2, f"{verb} is for stages; a lab has {' '.join(has)} "
                     f"{LAB_VERBS}.")
            for lab in self.picked_labs:
                if verb == "resources" and lab_says(lab, "file").endswith(".c"):
                    stop(2, f"{lab} has no resources: what is yours is "
                         f"{lab_says(lab, 'file')}, which is no kernel.")
                if self.labs.get(lab) == "hopper":
                    stop(2, f"{lab} is a program with its own main: 'make race "
                         f"FILE={self['MINE']}/{lab}/{lab_says(lab, 'file')}', "
                         "or run.")

    def check_ring(self):
        """What would have no effect on ranks."""
        its = next((name for name in self.picked if name in self.others), next(
            (self.labs[lab] for lab in self.picked_labs
             if self.labs.get(lab) in self.others), ""))
        for name in [word.partition("=")[0] for word in self.toggles] + [
                name for name in ("AGAINST", "ORDER", "FLUSH_L2", "GATE")
                if self[name]]:
            if its:
                stop(2, f"{its} has no {name}; it takes RANKS, EXCHANGE, "
                     "SAMPLE, MULTIPROCESSORS, SHAPES, SEEDS, DISTRIBUTIONS, "
                     "ITERS and JSON.")

    def check_shapes(self):
        names = [its["key"] for its in json.loads(
            text_of("common/harness/settings.json") or '{"shapes": []}'
            )["shapes"]] if self.verbs and self["SHAPES"] else []
        own = r"sweep\d*|real" if "peers" in self.verbs else "(?!)"
        for shape in self["SHAPES"].split() if names else []:
            if not shape[0].isdigit() and shape not in names and (
                    not re.fullmatch(own, shape)):
                stop(2, f"'{shape}' is no shape: give {', '.join(names)} or "
                     "B,H,S,D, as in 1,8,512,64."
                     + did_you_mean(shape, names))

    def check_environment(self):
        """In the environment a toggle would have no effect, and nobody would
        notice."""
        known = {name for stage in self.stages for name in re.findall(
            r"(?m)^// toggle (\w+):",
            text_of(f"{folder_of(stage)}/kernel.cu") or "")}
        for name in sorted(known & os.environ.keys() - self.typed.keys()):
            stop(2, f"The environment sets {name}, which has no effect there: "
                 "write it after make, as in 'make stage1 check "
                 "USE_CP_ASYNC=0'.")

    def selected(self):
        """The stages and labs that are kernels: those that are picked, or all
        stages."""
        if self.picked_labs:
            return [lab for lab in self.picked_labs
                    if self.labs.get(lab) not in (*self.others, "hopper")]
        return [stage for stage in self.stages
                if not self.picked or stage in self.picked]

    def arm(self, stage, settings):
        """STAGE/ARM of a stage or of the reader's kernel of a lab."""
        if not settings:
            return f"{stage}/default"
        where = stage if stage in self.stages else f"{self['MINE']}/{stage}"
        toggles = toggles_of(where)
        chosen = settings_of(stage, toggles, settings, self.settings)
        why = ruled_out(where, chosen)
        return stop(2, why) if why else f"{stage}/{arm_of(toggles, chosen)}"

    def arms(self):
        return [self.arm(stage, self.toggles) for stage in self.selected()]

    def against(self, arms):
        """AGAINST="stage0 stage1:USE_CP_ASYNC=0 A=0,B=1": arms to time in turn
        with each, of that stage, or of the same. Of several stages, each is
        left out where it would meet itself."""
        found = []
        for stage in self.selected():
            for word in self["AGAINST"].split():
                name, _, settings = (word if word.startswith("stage") else
                                     f"{stage}:{word}").partition(":")
                its = name if name == stage else named(name)
                if not its:
                    stop(2, f"AGAINST names {name}, which is no stage; the "
                         f"stages here: {' '.join(self.stages)}."
                         + did_you_mean(name, self.stages))
                found.append(self.arm(its, [*filter(None,
                                                    settings.split(","))]))
        if len(arms) == 1 and arms[0] in found:
            stop(2, f"AGAINST names {arms[0]}, which is what it is to be "
                 "compared with.")
        return list(dict.fromkeys(found))

    def options(self, ranks=False):
        """Of a stage's program, or of one on ranks, its own words for the
        settings."""
        several = [("shape", "SHAPES"), ("distribution", "DISTRIBUTIONS")]
        once = [("iters", "ITERS")]
        if ranks:
            several += [("exchange", "EXCHANGE"),
                        ("multiprocessors", "MULTIPROCESSORS")]
            once += [("sample", "SAMPLE")]
        else:
            once += [("order", "ORDER"), ("multiprocessors",
                                          "MULTIPROCESSORS")]
        pairs = [(name, its) for name, key in several
                 for its in self[key].split()]
        pairs += [("seeds", ",".join(self["SEEDS"].split()))]
        pairs += [(name, self[key]) for name, key in once]
        return [word for name, value in pairs if value
                for word in (f"--{name}", value)] + (
                    ["--flush-l2"] if self["FLUSH_L2"] == "1" else [])
