"""Everybody on a model's tensors, head by head. Nobody is timed: what a kernel
takes does not hang on the numbers."""

import math

import torch

from judge import errors_of_heads, gate
from ours import everyone_at
from problem import Problem
from shapes import Shape

HEAD_DIM = 64  # zeros fill the rows
TIMES = 1, 16  # the rows, repeated: what is summed gets longer


def tensor_of(tensors, layer, part, times):
    """[1][heads][rows][HEAD_DIM]"""
    zeros = [0.0] * (HEAD_DIM - tensors.width)
    return torch.tensor(
        [[[row + zeros for row in tensors.head(layer, part, head)] * times
          for head in range(tensors.heads)]],
        device="cuda", dtype=torch.float32)


def judged(contender, reference, times):
    """Where the rows are repeated, long sums may drift, and that is asked: no
    error there is too large."""
    entry = gate(contender, reference)
    if entry.get("rel_rms") is None:
        return entry
    if times > 1:
        entry = {"rel_rms": entry["rel_rms"]}
    heads = errors_of_heads(contender, reference)
    return entry | {"heads": heads, "worst": max(heads)}


def one_layer(libraries, classes, tensors, layer, times):
    shape = Shape(1, tensors.heads, tensors.rows * times, HEAD_DIM,
                  tensors.heads, False)
    problem = Problem(
        shape, (tensor_of(tensors, layer, part, times) for part in range(3)),
        q_factor=math.sqrt(HEAD_DIM / tensors.width))
    reference = problem.reference()
    return {"shape": shape.numbers, "layer": layer, "times": times,
            "contenders": {c.name: judged(c, reference, times) for c in
                           everyone_at(problem, libraries, classes)}}


def judge_all(libraries, classes, tensors):
    """By name: layers in the order of the file, the shortest first."""
    return {f"layer{layer}x{times}": one_layer(libraries, classes, tensors,
                                               layer, times)
            for layer in range(tensors.layers) for times in TIMES}
