"""The stages as contenders, and the library that they end in."""

import math

import torch

from contender import Contender


class Stage(Contender):
    precision = "E4M3"

    def __init__(self, library, problem):
        super().__init__(problem)
        self.name, self.library = library.name, library

    def missing(self):
        return self.library.missing(self.problem.shape)

    def prepare(self):
        self.out = torch.full(self.problem.shape.of_q, math.nan, device="cuda",
                              dtype=torch.float16)
        self.args = self.library.args_of(self.problem, self.out)

    def launch(self):
        self.library.launch(self.args,
                            torch.cuda.current_stream().cuda_stream)


def everyone_at(problem, libraries, classes):
    """The last of ours that take part is compared: ours_of."""
    return [Stage(library, problem) for library in libraries] + [
        its(problem) for its in classes]


def ours_of(contenders):
    """Of ours among them the one that the peers are compared with: the last,
    which is the library where it is there, but an arm that is no default only
    where there is no other. None where none of ours is among them."""
    arms = [c for c in contenders if isinstance(c, Stage)]
    stages = [c for c in arms if "." not in c.name]
    return ((stages or arms)[-1:] or [None])[0]
