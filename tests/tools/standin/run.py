"""peers.py with stand-ins, for a run from end to end:  run.py WORD...
A library is NAME=US, a stage that is right, or NAME=US,wrong."""

import sys

sys.path[:0] = ["tools/peers", "tools/results"]

import about
import ours
import peers
import problem
import stages
import torch
from torch import cuda


class Library:
    stage = kernel_hash = toggles = compiler = "standin"

    def __init__(self, word):
        self.name, _, self.us = word.partition("=")
        self.us, _, self.wrong = self.us.partition(",")

    def missing(self, shape):
        return "takes D = 64" if shape.head_dim != 64 else None


class Problem:
    """What is right is 1 in all places: of tensors only the shapes count."""

    def __init__(self, shape, tensors):
        self.shape = shape
        self.halves = [torch.full(its, 9.0) for its in (
            shape.of_q, shape.of_kv, shape.of_kv)]

    def sample(self):
        pass

    def judged(self, out):
        return out

    def reference(self):
        return torch.full(self.shape.of_q, 1.0)


class Stage(ours.Stage):
    def prepare(self):
        pass

    def launch(self):
        shape = self.problem.shape
        self.out = cuda.work(
            float(self.library.us) * shape.size / 16,
            lambda: torch.full(shape.of_q, 1.5 if self.library.wrong else 1.0)
        ) or self.out


about.driver_version = lambda: 0
ours.Stage, stages.Library = Stage, Library
stages.shipped = lambda compiler: []
problem.Problem, problem.drawn = Problem, lambda shape, **more: ()
peers.end(peers.verb_of, "", {"run": peers.run}, sys.argv[1:])
