"""What lies in a class' folder, one folder a student: check.json, and for each
lab the student's kernel or C file and grade.json; or the student's folder
`mine` with them. Nothing of it is trusted: links, pipes and large files are not
read, and of JSON what has the expected type is kept."""

import glob
import json
import os
import stat
from types import SimpleNamespace

import lab
from command import text_of

LARGEST = {"check.json": 1 << 16, "grade.json": 1 << 18}
LARGEST_SOURCE = 1 << 20


def is_folder(path):
    return os.path.isdir(path) and not os.path.islink(path)


def read(folder, *names):
    """The text of a file, or None, and why it was not read. Neither the file
    nor a folder on the way to it may be a link."""
    path = os.path.join(folder, *names)
    limit = LARGEST.get(names[-1], LARGEST_SOURCE)
    try:
        its = os.lstat(path)
    except OSError:
        return None, ""
    if not all(is_folder(os.path.join(folder, *names[:n]))
               for n in range(1, len(names))):
        return None, ""
    if not stat.S_ISREG(its.st_mode):
        return None, "is no regular file"
    if its.st_size > limit:
        return None, f"has more than {limit // 1024} KiB"
    return text_of(path), ""


def json_of(text):
    try:
        value = json.loads(text or "")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def string_of(value):
    return value[:200] if isinstance(value, str) else ""


def machine_of(text, fault):
    """What check.json says of a student's machine."""
    line = json_of(text)
    if line.get("workshop_check") != 1:
        why = (f"check.json {fault}" if fault else "there is no check.json"
               if text is None else
               "check.json is no whole line of workshop-check")
        return SimpleNamespace(ready=False, can=[], seconds=None, gpu="",
                               type="make workshop-check", why=why)
    can, seconds = line.get("can"), line.get("seconds")
    return SimpleNamespace(
        ready=line.get("ready") is True,
        can=[word[:40] for word in (can if isinstance(can, list) else [])[:20]
             if isinstance(word, str)],
        seconds=seconds if type(seconds) in (int, float)
        and 0 <= seconds < 1e6 else None,
        **{key: string_of(line.get(key)) for key in ("gpu", "type", "why")})


def student_of(folder, name):
    """`claim` is what the student's own grade says: None where it says
    nothing."""
    own = [name, "mine"] if is_folder(os.path.join(folder, name, "mine")) else [
        name]
    at = own if os.path.lexists(os.path.join(folder, *own, "check.json")) else [
        name]
    student = SimpleNamespace(
        name=name, labs=[],
        machine=machine_of(*read(folder, *at, "check.json")))
    for path in sorted(glob.glob("labs/*/lab*.lab"), key=os.path.basename):
        its = lab.read(os.path.splitext(os.path.basename(path))[0])
        kernel, fault = read(folder, *own, its.name, its.mine)
        claim = json_of(read(folder, *own, its.name, "grade.json")[0]
                        ).get("passed")
        if kernel is not None or fault:
            student.labs.append(SimpleNamespace(
                name=its.name, kernel=kernel,
                fault=fault and f"{its.mine} {fault}",
                claim=claim if isinstance(claim, bool) else None))
    return student


def students_of(folder):
    """All students, by name."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        names = []
    return [student_of(folder, name) for name in names
            if is_folder(os.path.join(folder, name))]
