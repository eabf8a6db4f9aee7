#!/usr/bin/env python3
"""The elite search over a stage's toggles:
  tune.py STAGE FOLDER
Layer 1 tries every combination of the structure toggles that the kernel allows;
layer 2 tries every combination of the detail toggles on the best three. A
candidate is built, held against the resource budget, sent through the gates, and
only then timed, in turn with the best so far. Candidates with the same machine
code are one kernel, and are timed once. The best three are timed in one last run,
together with the stage as it is by default. All trials and the elite go into
FOLDER/STAGE.tune.json. The environment names the SHAPES of which the first is
timed, ITERS, ARCH and COMMIT."""

import hashlib
import itertools
import os
import shutil
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import commit, end, said, stop, write
from kernel_hash import kernel_hash
from recorded import (SCHEMA, Unreadable, as_json, file_name, read,
                      rounded)
from resources import excess, report
from toggles import arm_of, ruled_out, toggles_of

KEEP = 3


def last_line(text):
    return "".join(text.splitlines()[-1:])


def fail(code, sentence, text=None):
    stop(code, f"tune: {sentence}"
         + ("" if text is None else f": {last_line(text)}"))


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Candidates:
    """What is done with one arm: it is built, measured against its budget,
    sent through the gates, and timed."""

    def __init__(self, stage):
        get = os.environ.get
        self.stage = stage
        self.shape = (get("SHAPES") or "mission").split(" ")[0]
        self.arch = get("ARCH") or "90a"
        self.commit = commit()
        self.iters = ["--iters", get("ITERS")] if get("ITERS") else []
        self.make = [get("MAKE") or "make", "--no-print-directory",
                     f"ARCH={self.arch}"]
        self.folder = f"build/tune/{stage}"
        os.makedirs(self.folder, exist_ok=True)

    def path(self, arm, name):
        return f"build/gpu/{self.stage}/{arm}/{name}"

    def cubin(self, arm):
        return self.path(arm, f"sm_{self.arch}.cubin")

    def build(self, arm):
        """Program, library and machine code; the exit code, and the log."""
        return said([*self.make, self.cubin(arm), *(
            self.path(arm, name) for name in ("program", "kernel.so",
                                              "kernel.o"))])

    def weigh(self, arm):
        """Registers, shared memory and the hash of the machine code, the
        device's and the host's that launches it, without the toggles' names;
        and what exceeds the budget."""
        used = report(self.cubin(arm) + ".ptxas")
        launch = f"{self.folder}/launch"
        if said(["objcopy", "-O", "binary", "--only-section=.text",
                 self.path(arm, "kernel.o"), launch])[0]:
            fail(1, f"no machine code of {arm}")
        whole = hashlib.sha256(content(self.cubin(arm)) + content(launch))
        return {"registers": used["registers"],
                "shared_bytes": used["shared_bytes"],
                "code": whole.hexdigest()[:16]}, " ".join(
                    excess(self.stage, used))

    def check(self, arm):
        return said([self.path(arm, "program"), "check"])

    def bench(self, arms):
        """All of them in turn in one run of the first one's program."""
        words = ["tools/make/alone.py", self.path(arms[0], "program"),
                 "bench", "--json", self.folder, "--commit", self.commit,
                 "--shape", self.shape, *self.iters]
        for arm in dict.fromkeys(arms):
            if os.path.exists(old := self.result(arm)):
                os.remove(old)
            if arm != arms[0]:
                words += ["--against", self.path(arm, "kernel.so")]
        return said(words)

    def result(self, arm):
        return f"{self.folder}/" + file_name(f"{self.stage}/{arm}")

    def times(self, arm):
        """An arm's median and noise in that run, by graphs where there are
        any."""
        try:
            shape = read(self.result(arm)).section("perf").section(self.shape)
            entry = shape.section("graph", None) or shape.section("event")
            return entry.number("p50_us"), entry.number("noise_us")
        except Unreadable:
            return fail(3, f"no time of {arm} was recorded")


class Search:
    def __init__(self, stage, folder):
        self.stage = stage
        self.toggles = toggles_of(stage)
        self.hash = kernel_hash(stage)
        self.path = f"{folder}/{stage}.tune.json"
        write(self.path)
        self.candidates = Candidates(stage)
        self.trials = []

    def best(self, count):
        return sorted((t for t in self.trials if t["state"] == "timed"),
                      key=lambda t: t["score"])[:count]

    def add(self, trial, state, note=""):
        trial["state"] = state
        self.trials.append(trial)
        print(f"  layer {trial['layer']}  {trial['arm']:40} {state}"
              + (f" {note}" if note else ""), flush=True)

    def time(self, trial):
        arm = trial["arm"]
        best = next(iter(self.best(1)), {"arm": arm, "score": 1})
        trial["against"] = best["arm"]
        code, text = self.candidates.bench([arm, best["arm"]])
        if code == 1:
            return self.add(trial, "gates failed")
        if code:
            fail(3, f"timing {arm} failed", text)
        trial["against_p50_us"] = self.candidates.times(best["arm"])[0]
        trial["p50_us"], trial["noise_us"] = self.candidates.times(arm)
        trial["score"] = (best["score"] * trial["p50_us"]
                          / trial["against_p50_us"])
        return self.add(
            trial, "timed", f"{trial['p50_us']:.2f} us, the best so far "
            f"({best['arm']}) {trial['against_p50_us']:.2f}, noise "
            f"{trial['noise_us']:.2f}")

    def attempt(self, layer, settings):
        arm = arm_of(self.toggles, settings)
        if any(trial["arm"] == arm for trial in self.trials):
            return None
        trial = {"arm": arm, "settings": {name: int(value) for name, value
                                          in settings.items()},
                 "layer": layer}
        why = ruled_out(self.stage, settings.items())
        if why is not None:
            return self.add(trial, "ruled out", f"by the kernel: {why}")
        code, text = self.candidates.build(arm)
        if code:
            return self.add(trial, "build failed", last_line(text))
        weight, over = self.candidates.weigh(arm)
        trial |= weight
        if over:
            return self.add(trial, "over budget", over)
        for twin in self.trials:
            if (twin.get("code") == trial["code"]
                    and twin["state"] != "over budget"):
                trial["against"] = twin["arm"]
                return self.add(trial, "same code", f"as {twin['arm']}")
        code, text = self.candidates.check(arm)
        if code > 1:
            fail(3, f"the gates of {arm} did not run", text)
        if code:
            return self.add(trial, "gates failed")
        return self.time(trial)

    def layer(self, number, name, start):
        """Each combination of the layer's values, the last toggle changing
        fastest. Toggles that only print (DEBUG_) stay at their defaults."""
        choices = [[its.default, *(v for v in its.values if v != its.default)]
                   if its.layer == name and not its.name.startswith("DEBUG_")
                   else [str(start.get(its.name, its.default))]
                   for its in self.toggles.values()]
        for chosen in itertools.product(*choices):
            self.attempt(number, {
                its.name: value for its, value
                in zip(self.toggles.values(), chosen) if value != its.default})
            if self.trials[0]["state"] != "timed":
                fail(1, f"{self.stage} as it is by default does not pass")

    def elite(self):
        """The best and the default, timed in turn in one run, best first."""
        best = {trial["arm"]: trial["settings"] for trial in self.best(KEEP)}
        best.setdefault("default", {})
        code, text = self.candidates.bench(list(best))
        if code:
            fail(3, "timing the elite", text)
        times = {arm: self.candidates.times(arm) for arm in best}
        base = times["default"][0]
        return [{"arm": arm, "settings": best[arm], "p50_us": p50,
                 "noise_us": noise, "saved_pct": 0.0
                 if abs(p50 - base) <= noise
                 else round(100 * (1 - p50 / base), 2)}
                for arm, (p50, noise) in sorted(times.items(),
                                                key=lambda its: its[1][0])]

    def run(self):
        self.layer(1, "structure", {})
        for trial in self.best(KEEP):
            self.layer(2, "detail", trial["settings"])
        elite = self.elite()
        write(self.path, as_json(rounded({
            "build_meta": {"schema_version": SCHEMA, "stage": self.stage,
                           "kernel_hash": self.hash, "target": "gpu"},
            "tune": {"shape": self.candidates.shape, "keep": KEEP,
                     "ranked": True, "trials": self.trials,
                     "elite": elite}})))
        codes = {trial.get("code") for trial in self.trials} - {None}
        print(f"{len(codes)} different kernels, by machine code\nthe elite at "
              f"{self.candidates.shape}, timed in turn in one run:")
        for its in elite:
            print(f"  {its['arm']:40} {its['p50_us']:9.2f} us, noise "
                  f"{its['noise_us']:.2f}")
        print(f"wrote {self.path}")
        shutil.rmtree(self.candidates.folder, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        stop(2, __doc__)
    end(lambda *its: Search(*its).run(), *sys.argv[1:])
