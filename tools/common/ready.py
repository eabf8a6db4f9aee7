"""Can one work in this tree?"""

import os
import re
import subprocess

from command import said, stop


def ready(folder):
    """The program's end, in a sentence on what is in the way and what to do,
    where it cannot be written to this folder of the tree, .deps or build."""
    root = os.getcwd()
    if re.search(r"""[]\s'";&|<>()[{}*?`\\$#:%=]""", root):
        stop(3, f"Nothing can be built in '{root}': move the tree to a path "
             "without blanks and signs like ' or ;.")
    if not os.access("tools/setup/setup.sh", os.X_OK):
        stop(3, "No program can be run from this tree: 'sh "
             "tools/setup/setup.sh' sets the executable bits again that a zip "
             "file loses; where that does not help, the file system is mounted "
             "noexec, and the tree must move.")
    place = os.environ.get("TMPDIR")
    if place and not (os.path.isdir(place) and os.access(place, os.W_OK)):
        stop(3, f"TMPDIR is '{place}', which is no folder that can be written: "
             "unset it or name another.")
    # What another user, root often, has left there
    found = folder = folder if os.path.exists(folder) else "."
    if os.access(folder, os.W_OK):
        # -links +0: not what somebody removes meanwhile
        found = folder != "." and subprocess.run(
            ["find", f"{folder}/", *"! -type l -links +0 ! -writable ! -user"
             .split(), str(os.getuid()), "-print", "-quit"],
            capture_output=True, text=True, check=False).stdout.strip()
    if found:
        me, owner = (said(its)[1].strip() for its in (
            ["id", "-un"], ["stat", "-L", "-c", "%U", found]))
        stop(3, f"{me} cannot write {os.path.normpath(f'{root}/{found}')}, "
             f"which belongs to {owner}: run 'sudo chown -R {me} .' in this "
             f"folder, or go on as {owner}.")
