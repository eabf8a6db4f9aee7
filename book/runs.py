#!/usr/bin/env python3
"""Which command made each recorded file, as Markdown:
  runs.py FOLDER KIND COMMAND...
KIND is a file's name, with *; of those that fit the first counts. COMMAND is a
template, or empty. A terminal's record in the same folder says a command in
full. A line "! ..." first says of each file that no kind fits, and of each kind
that no file fits."""

import fnmatch
import glob
import json
import os
import re
import sys
from types import SimpleNamespace

TOOLS = os.path.join(os.path.dirname(__file__), "../tools")
sys.path += [f"{TOOLS}/{its}" for its in ("common", "make", "results")]
from command import end
from recorded import files, text_of
from words import SETTINGS

TERMINAL = ".terminal.txt"


def sorted_words(text):
    """Settings in any order are one arm."""
    return " ".join(sorted(re.findall(r"[^\s,]+", text)))


def parsed(text):
    """A command as {goals, arm, against}; against: "stageN" or
    "stageN:A=0 B=1"."""
    against = set()
    for word in re.findall(r"\S+", " ".join(
            re.findall(r'\bAGAINST="([^"]*)"', text))):
        stage, arm = re.match(r"(stage\d+:?|)(.*)", word).groups()
        against.add(stage + sorted_words(arm))
    words = re.sub(r'[A-Z_0-9]+="[^"]*"', "", text).split()
    set_here = {word: word.partition("=")[0] for word in words
                if re.match("[A-Z_0-9]+=", word)}
    return SimpleNamespace(
        text=text, against=against, goals={*words} - {*set_here},
        arm=sorted_words(" ".join(word for word in words if word in set_here
                                  and set_here[word] not in SETTINGS.split())))


def made_by(template, meta, recorded):
    """The recorded command that ran this stage and arm, or the template with
    their names."""
    stage = (meta.get("stage") or "").partition("_")[0]
    verb = re.match("make stageN ([a-z]+)", template)
    if not stage or not verb:
        return template
    arm = meta.get("arm") or "default"
    its = "" if arm == "default" else re.sub(
        r"-(\d+)(?:\.|$)", r"=\1 ", arm).strip()
    arm, flush = sorted_words(its), "FLUSH_L2=1"
    for command in recorded:
        if (verb[1] in command.goals
                and (flush in command.text) == (flush in template)
                and (stage in command.goals and (
                    command.arm == arm or arm and arm in command.against)
                     or (f"{stage}:{arm}" if arm else stage)
                     in command.against)):
            return command.text
    return f"{template.replace('stageN', stage)} {its}".rstrip()


def tool_of(compiler):
    version = re.match(r"Cuda compilation tools.*V([\d.]+)", compiler)
    return f"nvcc {version[1]}" if version else compiler


def origins(meta):
    """What a file says of where it comes from, in words."""
    device = meta.get("device", {})
    if name := device.get("name"):
        driver = device.get("driver")
        yield name + (f", driver for CUDA {driver}" if driver else "")
    if "date" in meta:
        yield meta["date"][:10]
    if "commit" in meta:
        yield f"commit {meta['commit']}"
    for its in meta, *meta.get("kernels", {}).values():
        if "compiler" in its:
            yield tool_of(its["compiler"])
    if "profiler" in meta:
        number = re.search(r"[\d.]+", meta["profiler"])
        yield f"Nsight Compute {number[0] if number else meta['profiler']}"
    for key, name in ("torch", "PyTorch"), ("cudnn", "cuDNN"):
        if key in meta:
            yield f"{name} {meta[key]}"


def groups_of(paths, kinds):
    """What each command made."""
    recorded, groups = [], {}

    def group(text):
        return groups.setdefault(text, (text, [], [], []))
    for path in paths:
        if path.endswith(TERMINAL):
            for text in re.findall(r"^\$ (.+)", text_of(path), re.M):
                recorded.append(parsed(text))
                group(text)[2].append(os.path.basename(path))
    for path in paths:
        if command := kinds[path]:
            its = []
            try:  # of what cannot be read the book says so elsewhere
                meta = json.loads(text_of(path))["build_meta"]
                its = [*dict.fromkeys(origins(meta))]
                command = made_by(command, meta, recorded)
            except (ValueError, KeyError, TypeError, AttributeError,
                    RecursionError):
                pass
            _, made, _, said = group(command)
            made.append(os.path.basename(path))
            said += [word for word in its if word not in said]
    return [*groups.values()]


def told(made, shown, said):
    """What a command made, and where its files say that they come from."""
    def names(word, files):
        return [f"{word} {', '.join(f'`{name}`' for name in files)}."
                ] if files else []
    if not said and any(name.endswith(".json") for name in made):
        said = ["device and commit were not recorded"]
    return " ".join([*names("Wrote", made),
                     *([f"({'; '.join(said)})"] if said else []),
                     *names("The terminal is in", shown)])


def main(folder, *words):
    templates = dict(zip(words[::2], words[1::2]))
    paths = {*files(folder, deep=True), *files("results"), *(
        path for its in (f"{folder}/**", "results") for path in glob.glob(
            f"{its}/*.*", recursive=True) if not path.endswith(".json"))}
    paths = sorted(path for path in paths - {"results/README.md"}
                   if not os.path.isdir(path))
    fits = {path: next((kind for kind in templates if fnmatch.fnmatchcase(
        os.path.basename(path), kind)), None) for path in paths}
    kinds = {path: templates.get(kind) for path, kind in fits.items()}
    names = [*map(os.path.basename, [*files("results", deep=True), *glob.glob(
        "results/**", recursive=True)])]
    for path in paths:
        if not fits[path]:
            print(f"! {path}: no entry says which command made this file")
    for kind in templates:
        if not fnmatch.filter(names, kind):
            print(f"! {kind}: no recorded file is named so")
    for name in sorted({os.path.dirname(path) for path in paths}):
        print(f"\n### `{name}`\n")
        for text, *parts in groups_of([path for path in paths if
                                       os.path.dirname(path) == name],
                                      kinds):
            print(f"`{text}`\n:   {told(*parts)}\n")


end(main, *sys.argv[1:])
