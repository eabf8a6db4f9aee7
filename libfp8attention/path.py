"""From bf16 tensors to attention's output in two calls of libfp8attention,
beside PyTorch's attention on the bf16 tensors.

  path.py LIBRARY.so [FILE.json STAGE KERNEL_HASH]       ('make path' builds it)

With a file, the figures go there, too, with the stage and the hash of its kernel.
Exit code: 0; 1 an output is wrong; 2 usage; 3 this machine cannot run it."""

import math

from example import (attention_of, check_machine, load, microseconds, name_of,
                     problem_of, relative_error, report, start, torch)
from fp8attention import Tensor, forward, quantise, tensor_of

# E4M3 has 3 bits behind the first one, and P is rounded as well: a little more
# than twice what `make scales` finds on normal numbers.
LARGEST_RELATIVE_ERROR = 0.12
# A byte of the workspace before the first call; four are no item's number.
GUARD = 0x7f


def copy_of(count):
    """A copy that reads and writes together as many bytes as quantising `count`
    numbers must: two read and one written for each."""
    source = torch.empty(count * 3 // 2, device="cuda", dtype=torch.uint8)
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def codes_off(values, codes, scale):
    """How many codes and scales are not those of PyTorch's own conversion."""
    numbers = values.float()
    amax = numbers.abs().amax(dim=(2, 3))
    # A number in place of the second tensor would be a product with its inverse.
    wanted = amax / torch.full_like(amax, 448)
    wanted = torch.where(amax > 0, wanted, torch.ones_like(amax))
    its = (numbers / wanted[:, :, None, None]).to(torch.float8_e4m3fn)
    off = (its.view(torch.uint8) != codes).sum() + (wanted != scale).sum()
    return off.item()


def left(workspace):
    """How many items a block has left, to read them again later: in a workspace
    of GUARD, of the second half of the words behind the first four."""
    words = workspace[16:].view(torch.int32)
    words = words[len(words) // 2:]
    return (words != GUARD * 0x01010101).sum().item()


def run(library, batch, seq_len, heads, kv_heads, head_dim, causal, mean=0):
    """Prints one line, and returns its figures. V lies around `mean`."""
    generator = torch.Generator("cuda").manual_seed(0)
    sizes = [(batch, seq_len, h, head_dim) for h in (heads, kv_heads, kv_heads)]
    numbers = [torch.randn(size, device="cuda", generator=generator)
               for size in sizes]
    numbers[2] += mean
    values = [x.bfloat16().transpose(1, 2) for x in numbers]
    codes = [torch.empty(size, device="cuda", dtype=torch.uint8).transpose(1, 2)
             for size in sizes]
    scales = [torch.empty(batch, size[2], device="cuda") for size in sizes]
    tensors = (Tensor * 3)(*(tensor_of(*t)
                             for t in zip(values, codes, scales)))
    workspace = torch.full([library.fp8attention_workspace(tensors, 3)], GUARD,
                           device="cuda", dtype=torch.uint8)
    out = torch.full(sizes[0], math.nan, device="cuda",
                     dtype=torch.float16).transpose(1, 2)
    problem = problem_of(codes, scales, out, causal)

    def path():
        quantise(library, tensors, workspace)
        forward(library, problem)

    path()
    items, again = (workspace.numel() - 16) // 8, left(workspace)
    wanted = attention_of(*(x.transpose(1, 2) for x in numbers), causal)
    in_bf16 = attention_of(*values, causal)
    error = relative_error(out, wanted)
    off = sum(codes_off(*t) for t in zip(values, codes, scales))
    figures = {
        "name": name_of(batch, seq_len, heads, kv_heads, head_dim, causal,
                        mean),
        "rel_rms": error,
        "bf16_rel_rms": relative_error(in_bf16, wanted),
        "codes_off": off,
        "items": items,
        "left": again,
        "right": error <= LARGEST_RELATIVE_ERROR and off == 0,  # NaN: false
        "copy_us": microseconds(copy_of(sum(x.numel() for x in values))),
        "quantise_us": microseconds(
            lambda: quantise(library, tensors, workspace)),
        "path_us": microseconds(path),
        "bf16_us": microseconds(lambda: attention_of(*values, causal)),
    }
    figures["copies"] = figures["quantise_us"] / figures["copy_us"]
    print("{name:30} {rel_rms:7.4f} {bf16_rel_rms:7.4f} {copy_us:9.1f} "
          "{quantise_us:9.1f} {copies:6.2f} {left:6} {path_us:9.1f} "
          "{bf16_us:9.1f}"
          .format(**figures), "" if figures["right"] else " WRONG")
    return figures


SHAPES = (  # batch, seq_len, heads, kv_heads, head_dim, causal, mean
    (1, 512, 8, 8, 64, False), (2, 2048, 16, 16, 64, False),
    (2, 2048, 16, 16, 128, False), (4, 8192, 16, 16, 64, False),
    (4, 8192, 16, 16, 128, False), (4, 8192, 16, 16, 128, True),
    (1, 4096, 32, 8, 128, True), (1, 32768, 16, 16, 64, False),
    (1, 32768, 16, 16, 64, False, 4), (1, 32768, 16, 16, 128, False))


def main(path, file=None, stage=None, kernel_hash=None):
    check_machine(path, file)
    library = load(path)
    print("A line is wrong where a code is not PyTorch's own.\n"
          "Relative RMS error of the path from bf16 through E4M3, at most "
          f"{LARGEST_RELATIVE_ERROR}, and of PyTorch's\nattention in bf16; "
          "microseconds in a graph: a copy of as many bytes as quantising "
          "moves,\nquantising, their ratio, and the items that it read twice; "
          "both calls;\nPyTorch in bf16.")
    print(f"{'batch x rows x heads:kv x dim':30}   error    bf16      copy"
          "  quantise  ratio  twice      path      bf16")
    each = [run(library, *shape) for shape in SHAPES]
    return report({"path": each}, file, stage, kernel_hash)


if __name__ == "__main__":
    start(main, __doc__)
