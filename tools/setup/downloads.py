#!/usr/bin/env python3
"""Fills a folder with all that setup.py would fetch, for machines that have no
network:
  downloads.py FOLDER [core|book|tests|peers|model|cluster|aarch64]...
With no group: core, book and tests. They must be of this machine's kind, with
its release of Debian. There, OFFLINE=FOLDER setup.sh takes what it needs.
What is in the folder already is not fetched again.
Exit: 0 all is there; 1 a step failed; 2 usage; 3 this is no Debian."""

import glob
import hashlib
import os
import shutil
import sys
import tempfile

from pins import packages_of, requirements
from setup import (PIECES, aarch64, check_groups, download, machine_kind,
                   set_to, step)
from command import end, output, stop, write


def index(folder):
    """What apt wants to know of a folder of packages."""
    text = ""
    for deb in sorted(glob.glob(f"{folder}/*.deb")):
        with open(deb, "rb") as file:
            data = file.read()
        text += (f"{output('dpkg-deb', '-f', deb)}Filename: ./"
                 f"{os.path.basename(deb)}\nSize: {len(data)}\nSHA256: "
                 f"{hashlib.sha256(data).hexdigest()}\n\n")
    write(f"{folder}/Packages", text)


def fetch(folder, work, groups):
    """Whether all steps went well."""
    # With all that they depend on, as if nothing were installed there
    write(f"{work}/nothing", "")
    options = set_to(
        f"Dir::State::status={work}/nothing", f"Dir::Cache={work}",
        f"Dir::Cache::archives={folder}/debs/", "Debug::NoLocking=1",
        "APT::Sandbox::User=root")
    names = [its.name for group in groups for its in packages_of(group)]
    fine = step(f"Debian packages for: {' '.join(groups)}",
                download(*options, names), folder=folder)
    if fine and "aarch64" in groups:
        fine = step("Debian packages of libraries for aarch64", *aarch64(
            f"{work}/aarch64", f"{folder}/debs"), folder=folder)
    if not fine or not step("Making a Python environment for pip", [
            sys.executable, "-m", "venv", f"{work}/pip"], folder=folder):
        return False
    index(f"{folder}/debs")
    for group in groups:
        for piece in PIECES[group]:
            write(f"{work}/pins", requirements(*piece.sets))
            if piece.sets and not step(f"{piece.name} for {group}", [
                    f"{work}/pip/bin/python", "-m", "pip", "download",
                    "--no-input", "--only-binary", ":all:",
                    "--disable-pip-version-check", "-d", f"{folder}/wheels",
                    *piece.options, "-r", f"{work}/pins"], folder=folder):
                return False
    return True


def main(folder="", *groups):
    if not folder:
        stop(2, "Give the folder to fill, as in 'make downloads "
             "DIR=/media/stick'.")
    check_groups(groups)
    for program in "apt-get", "dpkg-deb":
        if not shutil.which(program):
            stop(3, f"This takes a Debian with {program}, like the machines it "
                 "is for.")
    folder = os.path.abspath(folder)
    write(f"{folder}/debs/Packages")
    os.makedirs(f"{folder}/debs/partial", exist_ok=True)
    os.makedirs(f"{folder}/wheels", exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        done = fetch(folder, work, groups or ("core", "book", "tests"))
    shutil.rmtree(f"{folder}/debs/partial")
    if not done:
        return 1
    os.remove(f"{folder}/setup.log")
    write(f"{folder}/machine", f"{machine_kind()}\n")
    print(f"{folder} has {output('du', '-sh', folder).split()[0]} for "
          f"{machine_kind()}.\nOn a machine of that kind: make setup "
          f"OFFLINE={folder}")
    return 0


if __name__ == "__main__":
    end(main, *sys.argv[1:])
