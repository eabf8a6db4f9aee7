"""A folder of the reader's with his kernel in it, whatever he is to do there:
nothing that he wrote is ever lost."""

import json
import os
import subprocess
import tempfile

from command import stop, text_of, write
from programs import MINE


class Folder:
    """`name` is the goal of make that it belongs to, `skeleton` how that is
    called which the reader begins with, `file` the name of what is his."""

    def __init__(self, name, skeleton, file):
        self.name, self.skeleton, self.path = name, skeleton, f"{MINE}/{name}"
        self.kernel = f"{self.path}/{file}"

    def need_kernel(self):
        if os.path.exists(self.kernel) and not os.path.isfile(self.kernel):
            stop(2, f"{self.kernel} is no file that can be read.")
        text = text_of(self.kernel)
        if text is None:
            stop(2, f"There is no {self.kernel} yet: 'make {self.name}' lays "
                 "it out.")
        return text

    def source(self):
        """The kernel, without what editors for Windows put in it."""
        return self.need_kernel().removeprefix("\ufeff").replace("\r\n", "\n")

    def lay_out(self, text):
        """Whether there was nothing there yet."""
        if os.path.exists(self.kernel):
            print(f"{self.kernel} is there already, and was left alone.\n")
            return False
        write(self.kernel, text)
        return True

    def hint(self, hints):
        """The next one. How many were given is kept beside the kernel."""
        self.need_kernel()
        given = (text_of(f"{self.path}/hints") or "").strip()
        number = min(int(given) + 1 if given.isdigit() else 1, len(hints))
        print(f"Hint {number} of {len(hints)}:\n{hints[number - 1]}", end="")
        write(f"{self.path}/hints", f"{number}\n")

    def need_attempt(self):
        """An attempt is a grade of something else than what was laid out."""
        file = f"{self.path}/grade.json"
        text = text_of(file)
        if text is None:
            stop(2, f"The solution comes after an attempt: 'make {self.name} "
                 "grade' first.")
        try:
            attempt = json.loads(text)["attempt"]
        except (ValueError, LookupError, TypeError, RecursionError):
            stop(2, f"{file} is no whole grade: 'make {self.name} grade' "
                 "writes it anew.")
        if not attempt:
            stop(2, f"What was graded is the {self.skeleton}: try first, then "
                 "ask for the solution.")

    def solution(self, book):
        """How the book's differs from what is there, after an attempt."""
        self.need_kernel()
        self.need_attempt()
        with tempfile.NamedTemporaryFile() as file:
            file.write(book.encode(errors="surrogateescape"))
            file.flush()
            if not subprocess.call([
                    "diff", "-u", "--strip-trailing-cr", "--label", self.kernel,
                    "--label", "the book's", self.kernel, file.name]):
                print("Yours is what the book has, word for word.")

    def reset(self, text):
        """What was laid out again; what was there is kept: it lies in safety
        before the new one takes its place."""
        before, number = self.need_kernel(), 1
        while os.path.exists(f"{self.kernel}.{number}"):
            number += 1
        kept = f"{self.kernel}.{number}"
        write(kept, before)
        write(self.kernel, text)
        print(f"{self.kernel} is the {self.skeleton} again; what was there is "
              f"{kept}.")
