"""What a grade asks of a kernel, in this order: each question costs more than
the one before it, and what ends one ends those that need its answer."""

import json
import os
import re
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest

import admit
import count
import outside
from command import folder_of, output, said, stop, text_of, write
from draw import generator, seed_of
from facts import ladder, of_driver
from lab import kind_of, region_in, solution, stripped
from programs import (SECONDS, build_error, complaint, lines_of, make,
                      make_ahead, run)

SETTINGS = "common/harness/settings.json"
LARGEST = 1 << 20  # bytes of a kernel's source
DISTRIBUTIONS = ("normal", "large-logits", "dominant-key", "constant-rows",
                 "mixed-scales", "zero-head")
MULTIPROCESSORS = 2, 8, 132
LONGEST = 300  # what is drawn for a ? in a shape
ORDERS = "forward", "backward", "2", "3"  # of warps and blocks, as race tries
# Of a lab that has it, sums of twice as many keys are asked for as well.
DRIFTS = "1,1,32,64,inputs=offset-values,keys=2048,multiprocessors=1"
# Scores to a thousand: the maximum rises by a hundred behind many keys. With
# larger ones float's last bits show where two keys share a row.
LARGE = "large-logits,scale=1"
LOOK = "labs/README.md says what a grade does not run"


def was_passed(path):
    """"passed", "passed before" where a later grade did not, "not yet" or "".
    By the grade in the reader's folder, which he may have written."""
    try:
        grade = json.loads(text_of(f"{path}/grade.json") or "{}")
        return {True: "passed", False: "passed before" if grade.get(
            "passed_before") else "not yet"}.get(grade.get("passed"), "")
    except (ValueError, AttributeError, RecursionError, TypeError):
        return ""


class Grade:
    """The lines of one grade, and the inputs that are drawn for it."""

    def __init__(self, lab, folder):
        self.lab, self.folder, self.kind = lab, folder, kind_of(lab)
        self.seed = seed_of("A grade", 10)
        self.draw = generator(self.seed)
        self.shapes = [re.sub("[?]", lambda _: str(self.among(1, LONGEST)), its)
                       for its in lab.inputs]
        self.of_arms = f"1,1,{self.among(577, 992)},64"
        self.demands, self.launched, self.under_way = [], {}, []
        before = was_passed(folder.path).startswith("passed")
        self.json = {
            "lab": lab.name, "stage": lab.stage, "seed": self.seed,
            "graded": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "demands": self.demands, "passed_before": before}

    def among(self, low, high):
        return low + self.draw(high - low + 1)

    def one_of(self, *values):
        return values[self.draw(len(values))]

    def width(self, takes):
        return self.one_of(*re.findall("[0-9]+", takes))

    def meeting(self, takes, rows, long=False):
        """A shape in which all that the kernel takes may meet, with so many
        rows in all its heads; or with fewer heads, and more rows in each."""
        kv = self.among(1, 2 if long else 3)
        batch = self.one_of(*(1, 2, 3) if long else (1, 1, 2, 3, 4, 5))
        groups = self.among(1, 2 if long else 4)
        heads = kv * (groups if "shared" in takes else 1)
        most = min(1088 if long else 200, rows // (batch * heads))
        length = self.among(*(201, max(201, most)) if long else (1, most))
        words = [f"{batch},{heads}:{kv},{length}", self.width(takes)]
        if "mask" in takes and self.draw(2):
            words.append("causal")
        if self.draw(2):
            other = "number" in takes and words[-1] != "causal"
            words.append("keys=" + str(self.one_of(
                length, self.among(1, 600 if long else 300)
                if other else length)))
        if "strides" in takes and self.draw(2):
            words.append("strides=" + self.one_of("padded", "permuted"))
        return ",".join(words)

    def inputs(self):
        """Of any kind that hides nothing; where scores stay the same with it,
        with any scale of softmax."""
        kind = self.one_of(
            "mixed-scales", f"large-logits,scale={self.among(1, 10) / 10}",
            "far-scales", "subnormal")
        return f",inputs={kind}" + (
            f",scale=1e{self.among(-26, 24)}" if kind in ("far-scales",
                                                        "subnormal") else "")

    def drawn_shapes(self, verb):
        """Others at each grade, in ranges that the fixed leave out: batches,
        many heads, groups of them, lengths, strides, rare inputs; and many
        small ones."""
        among, one_of = self.among, self.one_of
        takes = output(f"build/cpu/{self.lab.stage}/default/judge", "support")

        def width():
            return self.width(takes)
        kv, other_kv = among(3, 5), among(3, 5)
        both = [
            f"{among(3, 5)},2,97,64",
            f"1,{kv * among(2, 3)}:{kv},{among(33, 96)},{width()}",
            f"{among(2, 5)},{among(9, 16)},{among(1, 40)},{width()},causal",
            f"2,{2 * other_kv}:{other_kv},{among(65, 160)},{width()},"
            f"strides={one_of('padded', 'permuted')}"]
        long = f"1,1,{among(1025, 1088)},64,inputs={LARGE}"
        if verb == "race":  # whose own has as many keys under a mask
            return [*both, *([] if "mask" in takes else [long]),
                    *(self.meeting(takes, 300) + self.inputs()
                      for _ in range(6))]
        # Where the keys are split, and where they are not
        long_sums = [
            f"1,1,{among(1, 64)},{d},inputs=offset-values,"
            f"keys={among(4096, 4500)},multiprocessors={processors}"
            for d in (64, 128) for processors in (1, 160)]
        long_sums += [f"1,1,{among(3300, 3700)},{d},causal,"
                      "inputs=offset-values,multiprocessors=1"
                      for d in (64, 128)]
        return [
            *both, long,
            *(f"1,1,{4 * among(0, 31) + 4 - rest},64" for rest in range(4)),
            *(f"{among(2, 5)},{among(9, 16)},{among(1, 40)},64"
              for _ in range(4)),
            f"1,1,{among(577, 992)},64",
            f"{among(4, 5)},{among(13, 16)},{among(97, 160)},{width()}",
            f"1,1,{among(577, 992)},{width()},causal,inputs={LARGE}",
            f"1,2,{among(705, 992)},64,inputs={LARGE}",
            f"{among(1, 3)},3,{among(33, 40)},64,inputs=nan-v",
            f"{among(1, 3)},3,{among(65, 76)},{width()},inputs=nan-v",
            *(f"1,2,{among(33, 160)},{width()}{mask},scale=1e-{among(30, 36)}"
              for mask in ("", ",causal")),
            f"{among(1, 3)},2,{among(33, 160)},{width()},inputs=nan-k",
            f"{among(1, 3)},2,{among(33, 99)},64,inputs=nan-q",
            *(f"1,{among(8, 9)},{among(220, 290)},{width()}{mask},"
              f"inputs=dominant-key,scale={one_of(1, 2)}"
              for mask in (",multiprocessors=132", ",causal")),
            f"{among(3, 5)},{among(9, 16)},1,{width()},inputs=far-scales",
            f"1,2,{among(33, 70)},64,strides=wide",
            f"2,3,{among(20, 90)},64,inputs=far-below,scale={one_of(1, 2)}",
            f"1,2,{among(33, 160)},{width()},inputs=far-below,scale=2,"
            "multiprocessors=132",
            f"1,2,{among(65, 150)},{width()},causal,inputs=far-below,"
            f"scale={one_of(1, 2)}",
            *(self.meeting(takes, 800) + self.inputs() for _ in range(30)),
            *(self.meeting(takes, 1600, long=True) + self.inputs()
              for _ in range(6)),
            *(long_sums if DRIFTS in self.lab.inputs else ())]

    def further(self, verb):
        """The shapes of `make check` or `make race` that the book's kernel
        takes, without what the grade has had already; and drawn ones."""
        its = json.loads(text_of(SETTINGS))
        own, further = its[verb], of_driver(self.lab.stage, "shapes")
        drawn = []
        if not self.kind.ranks:
            further = [*own["shapes"], *own["variants"], *further,
                       *own.get("axes", ())]
            drawn = self.drawn_shapes(verb)
        left_out = {*self.shapes, *(
            case for excuse in of_driver(self.lab.stage, "excuses")
            for case in its["excuses"][excuse]["cases"])}
        return [[shape for shape in output(
            f"build/cpu/{self.lab.stage}/default/judge", "takes",
            *shapes).split() if shape not in left_out]
                for shapes in (further, drawn)]

    def one_each(self, shapes):
        """With inputs that hide nothing, as zeros and a dominant key would; and
        not with normal ones, since with drawn seeds their absolute gates can
        refuse a kernel for what its formats cost."""
        return [f"{shape}/mixed-scales/{self.seed + i}/"
                f"{1 + self.draw((16, 16, 16, 160)[self.draw(4)])}"
                for i, shape in enumerate(shapes)]

    def cases(self):
        """Each shape with each kind of inputs, and on devices of each size.
        Ranks get no normal ones where the shape is drawn, for the reason
        above."""
        first = self.draw(len(MULTIPROCESSORS))
        return [f"{shape}/{kind}/{self.seed + 10 * i + k}/"
                f"{MULTIPROCESSORS[(first + k) % len(MULTIPROCESSORS)]}"
                for i, shape in enumerate(self.shapes)
                for k, kind in enumerate(DISTRIBUTIONS[
                    :1 if "inputs=" in shape else None], 1)
                if not (self.kind.ranks and kind == "normal" and
                        shape not in self.lab.inputs)]

    def run(self, log, seconds, *words):
        """Runs a program of the reader's, as programs.run does it. One that
        launches ranks may end before they do."""
        ended = run(log, seconds, *self.kind.launch, *words)
        if self.kind.launch and ended.how == "others":
            return ended._replace(how="code", number=ended.own)
        return ended

    def add(self, demand, met, says, look=None):
        """One demand: True, False, or None where it is not judged here. What
        is not met says where to look. Returns whether it is met."""
        line = {"demand": demand, "says": says,
                "met": "not judged" if met is None else bool(met)}
        self.demands.append(line)
        if line["met"] is False and look:
            line["look"] = look
        return met

    def build_ahead(self, *paths):
        if paths:
            self.under_way.append(make_ahead(*paths))

    def not_met(self):
        return sum(line["met"] is False for line in self.demands)

    def hand_in(self):
        """Says it all and writes it beside the kernel; the exit code."""
        lab, not_met = self.lab, self.not_met()
        self.json.update(not_met=not_met, passed=not not_met)
        print(f"{lab.name}, {self.folder.kernel}; inputs drawn with "
              f"SEEDS={self.seed}")
        for line in self.demands:
            met = {True: "met", False: "NOT MET"}.get(line["met"], line["met"])
            print(f"  {met:<10} {line['demand']}: {line['says']}")
            if "look" in line:
                print(f"             look: {line['look']}")
        print(f"{lab.name} is not passed: {not_met} of {len(self.demands)} "
              "demands are not met." if not_met else f"{lab.name} is passed.")
        path = f"{self.folder.path}/grade.json"
        write(path, json.dumps(self.json) + "\n")
        print(f"wrote {path}")
        for its in self.under_way:
            its.wait()
        return 1 if not_met else 0


# ---- before anything is built ----

def read_kernel(folder, empties=()):
    """The reader's file, if it can be graded at all."""
    text = folder.need_kernel().replace("\r\n", "\n")
    if len(text) > LARGEST:
        stop(2, f"{folder.kernel} has more than a megabyte: no kernel is that "
             "long.")
    for region in empties:
        if not region_in(text, region):
            stop(2, f"{folder.kernel} has no region {region} any more: put its "
                 f"marks back, //> {region} and //< {region}, each alone in a "
                 "line.")
    return text


def stage_of(lab, text):
    """The name of a stage that this is, word for word; not of the lab's own.
    The stage before may also come as it is compiled by default."""
    wanted, before = stripped(text), None
    for name in ladder():
        if name == lab.stage:
            if before and wanted == stripped(output(
                    "tools/diff/diff.py", "default", before)):
                return before
        elif wanted == stripped(text_of(f"{folder_of(name)}/kernel.cu")):
            return name
        before = name
    return None


def not_built(grade, log, ended):
    """Where the compiler or linker could not go on."""
    if re.search("No space left|disk may be full|File too large",
                 text_of(log) or ""):
        stop(3, "There is no room to build: the disk is full. Nothing of "
             "yours was changed.")
    return grade.add("compiles", False, build_error(log)
                     if ended.how == "code" else ended.sentence(),
                     "the compiler's words")


def build(grade, scratch, text):
    """Builds the programs of the reader's kernel, once its text and its objects
    are admitted; False with a line where that fails."""
    lab, kind, log = grade.lab, grade.kind, f"{scratch}/log"
    of_book = text_of(f"{kind.folder}/{lab.file}")
    fault = admit.source_fault(text, re.findall(r"#ifndef (\w+)", of_book))
    if fault:
        return grade.add("admitted", False, f"{lab.mine} {fault}.", LOOK)
    ended = make(log, "-j2", *(path for path, _ in kind.objects))
    if not ended.fine():
        return not_built(grade, log, ended)
    for path, constructors in kind.objects:
        fault = admit.fault_of(path, constructors, kind.book)
        if fault:
            return grade.add("admitted", False, f"{lab.mine} {fault}.", LOOK)
    seen = f"build/instrumented/{lab.name}/default"
    ended = make(log, "-j2", f"build/cpu/{lab.name}/default/attempt",
                 f"{seen}/program", *[f"{seen}/attempt"] * kind.ranks)
    if not ended.fine():
        return not_built(grade, log, ended)
    return grade.add("compiles", True, "for the executor")


# ---- gates ----

def gate_words(case):
    """Why the gates refuse one case."""
    if case.get("why"):
        return case["why"]
    gates, words = {**case["gates"], "lse": case.get("lse", {})}, []
    # Figures of outputs that are no numbers say nothing more.
    if gates.get("finite", {}).get("verdict") == "failed":
        words.append(f"{gates['finite']['figure']:.0f} outputs are infinite or "
                     "no number" + (", or are numbers where NaN is right" if
                                    "nan-" in case["distribution"] else ""))
        gates = {}
    for name in ("max_abs_err", "mean_abs_err", "pct_bad", "rel_rms",
                 "signed_mean", "lse"):
        gate = gates.get(name, {})
        if gate.get("verdict") == "failed":
            words.append(f"{name} is no number" if gate["figure"] is None else
                         f"{name} {gate['figure']:.3g}, at most "
                         f"{gate['limit']:.3g}" +
                         " of what scores lose" * (name == "lse"))
    if "where" in case:
        if not words:
            words.append("a number is farther off than rounding can move it")
        words.append(case["where"])
    return "; ".join(words)


def run_gates(grade, scratch, cases, arm):
    """How the reader's program ended, what it said, and what the judge says of
    each case, with the order of warps and blocks that it ran in."""
    lab, files = grade.lab, f"{scratch}/gates-{cases[0].replace('/', '-')}"
    inputs, outputs, result, log = (
        f"{files}.{what}" for what in ("in", "out", "json", "log"))
    output(grade.kind.draw, inputs, *cases)
    ended = grade.run(log, SECONDS, f"build/cpu/{lab.name}/{arm}/attempt",
                      inputs, outputs)
    _, says = said([f"build/cpu/{lab.stage}/default/judge", outputs, result,
                    *["alone"] * grade.kind.ranks, *cases])
    text, lines = text_of(result), lines_of(log)
    assert text is not None, says
    orders = [int(line[6:]) for line in lines if line.startswith("Order ")]
    each = [{**case, "order": order} for case, order in zip_longest(
        json.loads(text)["each"], orders)]
    return ended, lines, each


def judge_gates(grade, scratch, name, cases, arm="default"):
    lab = grade.lab
    count = 1 if grade.kind.ranks else min(2, len(cases))
    with ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(lambda its: run_gates(grade, scratch, its, arm),
                              [cases[i::count] for i in range(count)]))
    ended = next((its for its, *_ in parts if not its.fine()), parts[0][0])
    log = sum((lines for _, lines, _ in parts), [])
    each = [case for cases in zip_longest(*(its for *_, its in parts))
            for case in cases if case]
    for kernel, *its in re.findall(r"(?m)^Launched 0x(\w+) (\d+) (\d+) (\d+)$",
                                   "\n".join(log)):
        grade.launched[int(kernel, 16)] = [max(both) for both in zip(
            map(int, its), grade.launched.get(int(kernel, 16), (0, 0, 0)))]
    failed = [case for case in each if not case["passed"]]
    gates = grade.json[name] = {
        "all_passed": not failed, "cases": len(each), "failed": len(failed),
        "each": each}
    words = f"{len(each) - len(failed)} of {len(each)} inputs pass"
    first = failed[0] if failed else None
    if first:
        order = ["", ", warps and blocks backward",
                 ", warps and blocks in a random order"][first["order"] or 0]
        words += (f"; the first that fails, {first['name']}, "
                  f"{first['distribution']}, seed {first['seed']}{order}: "
                  f"{gate_words(first)}")
    found = first_finding(log) or next(
        (line for line in log if "of static shared memory" in line), "")
    if found or not ended.fine():
        words = f"{found or ended.sentence()}; {words}"
    verb = re.sub("^(gates|toggle)", "check", name)
    look = f"make {lab.name} {verb}"
    # Of long sums `check` says how far they drift, at its own shape.
    if first and first["distribution"] != "offset-values":
        look += f" SHAPES={first['name']} SEEDS={first['seed']}"
        if "multiprocessors" in first and not grade.kind.ranks:
            look += f" MULTIPROCESSORS={first['multiprocessors']}"
    grade.add(name, ended.fine() and gates["all_passed"], words, look)
    return ended.how == "code" and "livelock: " not in words


# ---- races ----

def first_finding(lines):
    """Of the race check, and its places."""
    for number, line in enumerate(lines):
        if re.match("[a-z][A-Za-z -]*: ", line) and not re.search(
                r": \d+ finding", line):
            words = [line]
            for place in lines[number + 1:]:
                if not place.startswith(" "):  # another finding
                    break
                if its := re.match(r" +called in line (\d+):", place):
                    words[-1] += f" called in {its[1]}"
                elif its := re.match(r" +[a-z]+ +\S*?([^/\s]+:\d+)", place):
                    words.append(its[1])
            return ", ".join(words)
    return ""


def wrong_without_race(log):
    """Of ranks, whose race check judges outputs as well: where they are wrong
    with no race; None elsewhere."""
    messages = ""
    for line in lines_of(log):
        if its := re.match(r"\S+ on \d+ ranks: (messages .+)", line):
            messages = its[1]
        if its := re.fullmatch("(.+): 0 findings, and a gate failed", line):
            return f"no race, but a gate failed at {its[1]}, {messages}"
    return None


def run_races(grade, log, arm, shapes, drawn):
    """A process for each shape, two at once, whose words are put together: the
    drawn ones in one order of warps and blocks, which is drawn too, the others
    in all."""
    jobs = [["--shape", shape] for shape in shapes]
    if grade.kind.ranks:  # which take long to start
        jobs = [sum(jobs, [])]
    first = grade.draw(len(ORDERS))
    jobs += [["--shape", shape, "--order", ORDERS[(first + i) % len(ORDERS)]]
             for i, shape in enumerate(drawn)]

    def race(job):
        return grade.run(
            f"{log}.{job}", SECONDS * (4 if grade.kind.ranks else 1),
            f"build/instrumented/{grade.lab.name}/{arm}/program", "race",
            "--seeds", grade.seed, *grade.kind.race, *jobs[job])
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(race, range(len(jobs))))
    write(log, "".join(text_of(f"{log}.{i}") or "" for i in range(len(jobs))))
    return next((its for its in ended if not its.fine()), ended[0])


def judge_races(grade, scratch, name, shapes, arm="default", drawn=()):
    lab, kind, log = grade.lab, grade.kind, f"{scratch}/race"
    setting = name.partition(" ")[2]  # of a toggle, or of RANKS
    ended = run_races(grade, log, arm, shapes, drawn)
    text, shapes = text_of(log), [*shapes, *drawn]
    first = next((shape for shape in shapes if f"{shape}{kind.clean}0 findings"
                  "\n" not in text), None)
    fine = ended.fine() and not first
    found, verb = first_finding(lines_of(log)), "race"
    if not found and not fine:
        wrong = ended.how == "code" and wrong_without_race(log)
        found = wrong or (complaint(log, lab.name) if ended.how == "code"
                          else ended.sentence())
        # What the gates have found already, `check` shows better.
        if wrong and not grade.json["gates"]["all_passed"]:
            verb = "check"
    where = (" ".join(shapes) if len(shapes) < 6
             else f"{len(shapes)} further shapes")
    order = first and re.search(
        rf"(?m)^{re.escape(first)}: .*again: (ORDER=\w+)", text)
    grade.add(name, fine, f"no findings at {where}" if fine else found,
              f"make {lab.name} {verb}{setting and ' ' + setting}"
              + (f" SHAPES={first} SEEDS={grade.seed}" if first else "")
              + (f" {order[1]}" if order else ""))
    # Where a block has been stopped, counters are of what ran before.
    return ended.how == "code" and not (
        re.match("outside|misaligned|deadlock|livelock", found) or
        any("The kernel failed" in its.get("why", "")
            for its in grade.json["gates"]["each"]))


# ---- all ----

def judge_support(grade, log):
    """What it says that it takes must be what the book's kernel says."""
    lab = grade.lab
    grade.run(log, SECONDS, f"build/cpu/{lab.name}/default/attempt", "support")
    mine = text_of(log)
    book = output(f"build/cpu/{lab.stage}/default/judge", "support")
    return mine == book or grade.add(
        "support", False, f"stage_support says '{mine.strip()}', and the "
        f"book's '{book.strip()}'", f"stage_support in {lab.mine}")


def ask(grade, scratch):
    """What is asked of a kernel that is built."""
    grade.build_ahead(*outside.compiled_by_nvcc(grade.lab))
    if not (grade.kind.ranks or grade.lab.stage == "warmup" or
            judge_support(grade, f"{scratch}/log")):
        return
    if not judge_gates(grade, scratch, "gates", grade.cases()):
        return
    if judge_races(grade, scratch, "race", grade.shapes):
        count.judge(grade, scratch, grade.lab.count)
    for toggle in grade.lab.toggles:
        outside.judge_toggle(grade, toggle, scratch)
    outside.judge_resources(grade, scratch)
    outside.judge_time(grade, scratch)


def judge_unset(grade, arm="default"):
    """A register that nobody has set holds one number here, which may be a good
    one; on a GPU it holds any. So does what a function ends without. The
    compiler says which."""
    said = text_of(grade.kind.objects[0][0].replace("default", arm) +
                   ".said") or ""
    its = re.search(r"(?m)^(\S+:\d+):\d+: [^:]*: (.*) "
                    r"\[-W(?:(?:maybe-)?uninitialized|return-type)\]$", said)
    if its:
        declared = re.search(r"(?m)^(\S+:\d+):\d+: [^:]*: .* declared here",
                             said[its.end():])
        grade.add("unset", False, f"g++ says: {its[2]}", "give it a value at "
                  + os.path.basename((declared or its)[1]))


def ask_further(grade, scratch):
    """Once all else is met: a grade is no weaker than check and race."""
    lab = grade.lab
    if grade.not_met():
        return
    judge_unset(grade)
    count.judge(grade, scratch, count.other_shape(grade))
    if lab.stage == "warmup" or grade.not_met():
        return
    arms, drawn = arms_of(grade)
    of_arms = [f"{toggle}-{value}" for toggle in lab.toggles
               for value in outside.values_of(lab)[toggle][1:]]
    grade.build_ahead(
        *(f"build/cpu/{lab.name}/{arm}/attempt" for arm in [*of_arms, *arms]),
        *(f"build/instrumented/{lab.name}/{arm}/program"
          for arm in [*of_arms, *filter(None, [drawn])]))
    cases, ranks = grade.one_each(sum(grade.further("check"), [])), ""
    if grade.kind.ranks:  # another number of them
        others = [its for its in "2345" if its != grade.kind.launch[1]]
        grade.kind.launch[1] = others[grade.draw(len(others))]
        ranks = f" RANKS={grade.kind.launch[1]}"
    fine = judge_gates(grade, scratch, "check" + ranks, cases)
    outside.ask_again(grade)
    outside.judge_on_gpu(grade, scratch)
    if fine:
        own, drawn = grade.further("race")
        judge_races(grade, scratch, "races" + ranks, own, drawn=drawn)
    for arm in of_arms:
        make(f"{scratch}/log", "-j2", f"build/cpu/{lab.name}/{arm}/attempt",
             f"build/instrumented/{lab.name}/{arm}/program")
        name = arm.replace("-", "=")
        for path, constructors in grade.kind.objects:
            if fault := admit.fault_of(path.replace("default", arm),
                                       constructors, grade.kind.book):
                grade.add(f"admitted {name}", False, f"{lab.mine} {fault}.",
                          LOOK)
                break
        judge_unset(grade, arm)
        judge_gates(grade, scratch, f"check {name}", cases, arm)
        judge_races(grade, scratch, f"races {name}",
                    [*grade.shapes, grade.of_arms], arm,
                    grade.further("race")[1][-3:])
    ask_arms(grade, scratch, arms, drawn)


def two_at_once(grade, free):
    """Two toggles with values other than their own that go together, or ()."""
    names = list(free)
    for _ in range(9 if len(names) > 1 else 0):
        first = grade.draw(len(names))
        second = (first + 1 + grade.draw(len(names) - 1)) % len(names)
        pair = [(name, grade.one_of(*free[name]))
                for name in names if name in (names[first], names[second])]
        if not said(["tools/toggles/toggles.py", "allowed",
                     f"build/labs/{grade.lab.name}",
                     *map("=".join, pair)])[0]:
            return pair
    return ()


def arms_of(grade):
    """Each value of a toggle that the kernel lists, and two drawn ones at once,
    by what a demand calls it; and one of these arms, whose races are asked. Of
    what the book's kernel asks by #if, a lab has one arm alone."""
    lab = grade.lab
    asked = re.findall("(?m)^ *# *(?:el)?if (.*)", text_of(
        f"{grade.kind.folder}/{lab.file}"))
    free = {name: values[1:] for name, values in outside.values_of(lab).items()
            if not re.search(rf"\b{name}\b", " ".join(asked))}
    arms = {f"{name}-{value}": f"toggle {name}={value}"
            for name, values in free.items() for value in values
            if name not in lab.toggles}
    if pair := two_at_once(grade, free):
        arms[".".join("-".join(its) for its in pair)] = "toggle " + " ".join(
            "=".join(its) for its in pair)
    return arms, grade.one_of(*arms) if arms else None


def ask_arms(grade, scratch, arms, drawn):
    """At the lab's shapes; a line only for what is not met."""
    lab, log = grade.lab, f"{scratch}/log"
    cases = [f"{shape}/mixed-scales/{grade.seed + processors}/{processors}"
             for shape in grade.shapes if "inputs=" not in shape
             for processors in (1, 160)]
    if arms and not make(log, "-j2", *(f"build/cpu/{lab.name}/{arm}/attempt"
                                       for arm in arms)).fine():
        grade.add("compiles", False, build_error(log), "the kernel's toggles")
        return
    for arm, name in arms.items():
        judge_gates(grade, scratch, name, cases, arm)
        if arm == drawn and grade.demands[-1]["met"]:
            grade.demands.pop()
            make(log, "-j2", f"build/instrumented/{lab.name}/{arm}/program")
            judge_races(grade, scratch, name, grade.shapes, arm)
        if grade.demands[-1]["met"]:
            grade.demands.pop()


def cut(lab, text):
    """A file with numbers in place of what the reader's regions hold, and what
    they hold."""
    kept = []
    for region in lab.empties:
        its = region_in(text, region)
        text = f"{text[:its.start(1)]}\0{len(kept)}\0{text[its.end(1):]}"
        kept.append(its[1])
    return text, kept


def with_other_numbers(grade, text, run):
    """A program of which all but the reader's regions is the book's, with other
    numbers where the lab says so of this run, and these numbers. What is right
    for the book's numbers alone is not right."""
    said, (text, kept) = [], cut(grade.lab, text)
    for old, *ends in grade.lab.varies:
        low, high = map(int, ends[2 * run:2 * run + 2])
        number = low + grade.draw(high - low + 1)
        said.append(re.sub("[0-9]+$", str(number), old))
        text = text.replace(old, said[-1])
    return (re.sub("\0(.*?)\0", lambda its: kept[int(its[1])], text),
            ", ".join(said) + ": ")


def counts_of(scratch, file, counted):
    """What `make count` says of a program in all."""
    log = f"{scratch}/count"
    make(log, "count", f"FILE={file}", f"LIMIT={SECONDS}", limit="")
    return {what: number for what, number in re.findall(
        "^ +(.*?) +([0-9,]+)$", text_of(log) or "", re.M) if what in counted}


def ask_run(grade, log, demand, verb, file, fine, numbers=""):
    """Of a program that says itself whether it is right."""
    # Managed memory is a large range of addresses.
    ended = make(log, verb, f"FILE={file}", f"LIMIT={SECONDS}", limit="")
    lines = [line for line in lines_of(log)
             if not line.startswith(("make", "building"))]
    its = ended.fine() and next((line for line in lines if fine in line), "")
    grade.add(demand, bool(its), numbers + (
        its or first_finding(lines) or (lines or [ended.sentence()])[0]),
        f"make {verb} FILE={grade.folder.kernel}"
        + (", with these numbers" if numbers else ""))


def ask_program(grade, scratch, text):
    """All of it but the reader's regions must be the book's."""
    lab, file, log = grade.lab, grade.folder.kernel, f"{scratch}/log"
    same = len({stripped(cut(lab, its)[0]) for its in (
        text, solution(lab))}) == 1
    regions = " and ".join(lab.empties)
    own = "\n".join(cut(lab, text)[1])
    fault = (re.search(r"\\\s*\n", text) and "has a line that a backslash joins "
             "to the next one: no comment ends so") or admit.source_fault(
                 own, ()) or admit.region_fault(own)
    if fault:
        grade.add("admitted", False, f"{lab.mine} {fault}.", LOOK)
        return
    grade.add("yours", same, f"outside of {regions} all is the book's" if same
              else f"something has changed outside of {regions}",
              f"make {lab.name} reset")
    ask_run(grade, log, "run", "run", file, ", 0 wrong")
    ask_run(grade, log, "race", "race", file, "0 findings")
    if grade.not_met():
        return
    others = f"{scratch}/{lab.mine}"
    for number in range(len(lab.varies[0]) // 2):
        varied, numbers = with_other_numbers(grade, text, number)
        write(others, varied)
        ask_run(grade, log, "others", "run", others, ", 0 wrong", numbers)
        if not grade.not_met():
            ask_run(grade, log, "others", "race", others, "0 findings", numbers)
        if grade.not_met():
            return
    counted = lab.count.split(", ")
    found, wanted = (counts_of(scratch, its, counted) for its in (
        file, f"{grade.kind.folder}/{lab.file}"))
    grade.add("counts", found == wanted, "; ".join(
        f"{what}: {found.get(what, 0)}, must be {wanted[what]}"
        for what in counted), f"make count FILE={file}")
    outside.judge_program(grade, scratch, file)


def grade_of(lab, folder):
    text = read_kernel(folder, lab.empties)
    grade = Grade(lab, folder)
    grade.json["attempt"] = any(
        stripped(region_in(text, region)[1]) != stripped(lab.stubs[region])
        for region in lab.empties)
    other = lab.file == "kernel.cu" and stage_of(lab, text)
    if other:
        grade.add("yours", False, f"this is {other} as it is",
                  f"make diff-{lab.stage.partition('_')[0]}")
    with tempfile.TemporaryDirectory() as scratch:
        if lab.stage == "hopper":
            ask_program(grade, scratch, text)
        elif build(grade, scratch, text):
            ask(grade, scratch)
            ask_further(grade, scratch)
    return grade
