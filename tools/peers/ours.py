"""The stages as contenders, and the library that they end in."""

import math

import torch

from contender import Contender
from stages import SHIPPED, AttentionArgs, fp8attention


class Stage(Contender):
    precision = "E4M3"

    def __init__(self, library, problem):
        super().__init__(problem)
        self.name, self.library = library.name, library

    def missing(self):
        return self.library.missing(self.problem.shape)

    def prepare(self):
        problem, shape = self.problem, self.problem.shape
        self.out = torch.full(shape.of_q, math.nan, device="cuda",
                              dtype=torch.float16)
        pointers = [x.data_ptr() for x in problem.codes + problem.scales]
        self.args = AttentionArgs(*pointers, self.out.data_ptr(), *shape.of_q,
                                  1 / math.sqrt(shape.head_dim),
                                  shape.kv_heads, shape.causal)

    def launch(self):
        self.library.launch(self.args,
                            torch.cuda.current_stream().cuda_stream)


class Shipped(Stage):
    """libfp8attention, called as from Python (libfp8attention/)."""

    def prepare(self):
        problem = self.problem
        self.out = torch.full(problem.shape.of_q, math.nan, device="cuda",
                              dtype=torch.float16)
        self.args = fp8attention.problem_of(problem.codes, problem.scales,
                                            self.out, problem.shape.causal)


def everyone_at(problem, libraries, classes):
    """The last of ours that take part is compared: ours_of."""
    return [(Shipped if library.name == SHIPPED else Stage)(library, problem)
            for library in libraries] + [its(problem) for its in classes]


def ours_of(contenders):
    """Of ours among them the one that the peers are compared with: the last,
    which is the library where it is there, but an arm that is no default only
    where there is no other. None where none of ours is among them."""
    arms = [c for c in contenders if isinstance(c, Stage)]
    stages = [c for c in arms if "." not in c.name]
    return ((stages or arms)[-1:] or [None])[0]
