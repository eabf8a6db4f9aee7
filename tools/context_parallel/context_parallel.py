"""PyTorch's context parallel attention in bf16, timed on several GPUs beside
its attention on one, each by two of its kernels, flash and cuDNN's.

  python3 -m torch.distributed.run --standalone --nproc-per-node 2 \
    context_parallel.py FILE.json COMMIT SHAPE...
(`make ring-peer` does it.)

A shape is B,H,S,D or B,H,S,D,causal, S the whole sequence. Rotation by
all-gather is PyTorch's default, all-to-all its ring. All of the output is
compared with that of one card by the same kernel. Keys and values have twice
the bytes of FP8. With an empty FILE nothing is written. Exit code: 0; 1 an
output is wrong; 2 usage; 3 this cannot run here."""

import datetime
import math
import os
import statistics
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import write
from recorded import as_json, in_steps

ROTATIONS = ("allgather", "alltoall")
WARM, LEAST, ROUNDS, SAMPLE_US, MOST_BATCH = 2, 5, 10, 4000.0, 20
ARM_US = 1.0e6
LARGEST_ERROR = 0.01  # relative RMS; the parts are merged from bf16


def stop(code, sentence):
    if int(os.environ.get("RANK", "0")) == 0:
        print(sentence, file=sys.stderr)
    sys.exit(code)


try:
    import torch
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.experimental import context_parallel
    try:  # it has moved between versions
        from torch.distributed.tensor.experimental._context_parallel import (
            _attention as attention)
    except ImportError:
        from torch.distributed.tensor.experimental import (
            _attention as attention)
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError as lacking:
    stop(3, f"PyTorch's context parallel attention is not here: {lacking}.")
KERNELS = {"flash": SDPBackend.FLASH_ATTENTION,
           "cudnn": SDPBackend.CUDNN_ATTENTION}


def sdpa(tensors, causal):
    # By its full name: context_parallel puts its own function there.
    return torch.nn.functional.scaled_dot_product_attention(
        *tensors, is_causal=causal)


def shape_of(text):
    words = text.split(",")
    causal = words[-1] == "causal"
    try:
        batch, heads, rows, width = map(int, words[:len(words) - causal])
    except ValueError:
        stop(2, f"'{text}' is no shape: B,H,S,D or B,H,S,D,causal.")
    return (batch, heads, rows, width), causal


def largest(value):
    tensor = torch.tensor([value], device="cuda", dtype=torch.float64)
    dist.all_reduce(tensor, op=dist.ReduceOp.MAX)
    return tensor.item()


def once(action, times):
    """Microseconds of one, of the slowest rank."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()
    start.record()
    for _ in range(times):
        action()
    end.record()
    end.synchronize()
    return largest(1000 * start.elapsed_time(end) / times)


def timed(action):
    for _ in range(WARM):
        one = once(action, 1)
    times = min(max(math.ceil(SAMPLE_US / one), 1), MOST_BATCH)
    rounds = min(max(int(ARM_US / (one * times)), LEAST), ROUNDS)
    samples = [once(action, times) for _ in range(rounds)]
    return {"p50_us": statistics.median(samples), "runs_a_sample": times,
            "samples": in_steps(samples)}


def inputs(shape):
    generator = torch.Generator(device="cuda").manual_seed(0)
    return [torch.randn(shape, generator=generator, device="cuda",
                        dtype=torch.bfloat16) for _ in range(3)]


def in_parallel(mesh, shape, causal, rotation, whole):
    """Times, and the relative RMS error against `whole`, one card's output."""
    attention.set_rotate_method(rotation)
    attention._cp_options.enable_load_balance = causal
    tensors = inputs(shape)
    with context_parallel(mesh, buffers=tensors, buffer_seq_dims=[2, 2, 2],
                          no_restore_buffers=set(tensors)):
        record = timed(lambda: sdpa(tensors, causal))
        out = sdpa(tensors, causal)
        (out,) = attention.context_parallel_unshard(mesh, [out], [2])
    error = (out.float() - whole.float()).norm() / whole.float().norm()
    record["rel_rms"] = largest(error.item())
    return record


def alone(shape, causal):
    """Rank 0's card; the others wait."""
    tensors = inputs(shape) if dist.get_rank() == 0 else None
    return timed(lambda: tensors and sdpa(tensors, causal))


def by_kernel(mesh, shape, causal):
    whole = sdpa(inputs(shape), causal)
    entry = {"one-card": alone(shape, causal)}
    for rotation in ROTATIONS:
        record = in_parallel(mesh, shape, causal, rotation, whole)
        record["speedup"] = entry["one-card"]["p50_us"] / record["p50_us"]
        entry[rotation] = record
    return entry


def measure(mesh, text):
    shape, causal = shape_of(text)
    entry = {"name": text, "shape": list(shape), "causal": causal,
             "kernels": {}}
    for name, backend in KERNELS.items():
        try:
            with torch.no_grad(), sdpa_kernel(backend):
                found = by_kernel(mesh, shape, causal)
        except (RuntimeError, AttributeError, TypeError,
                NotImplementedError) as why:
            found = {"absent": (str(why) or repr(why)).split("\n")[0]}
        entry["kernels"][name] = found
    return entry


def show(entry):
    for name, its in entry["kernels"].items():
        print(f"{entry['name']:24} {name}: " + (
            f"cannot: {its['absent'][:100]}" if "absent" in its else "  ".join(
                f"{arm} {record['p50_us']:.0f} us "
                f"({record.get('speedup', 1):.2f}x)"
                for arm, record in its.items())), flush=True)


def wrong_of(entry):
    """A sentence, or None."""
    for name, its in entry["kernels"].items():
        for rotation in ROTATIONS:
            error = its.get(rotation, {}).get("rel_rms", 0)
            if not error <= LARGEST_ERROR:
                return (f"{entry['name']} by {name} and {rotation}: relative "
                        f"RMS {error:.3g}, of at most {LARGEST_ERROR}.")
    return None


def about(commit):
    now = datetime.datetime.now(datetime.timezone.utc)
    return {"schema_version": 1, "commit": commit,
            "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "torch": torch.__version__, "ranks": dist.get_world_size(),
            "nccl": ".".join(map(str, torch.cuda.nccl.version())),
            "device": {"name": torch.cuda.get_device_name(), "is_gpu": True}}


def main():
    if len(sys.argv) < 4:
        stop(2, __doc__)
    path, commit, *shapes = sys.argv[1:]
    for text in shapes:
        shape_of(text)
    if not torch.cuda.is_available():
        stop(3, "PyTorch finds no GPU here.")
    if torch.cuda.device_count() < int(os.environ["LOCAL_WORLD_SIZE"]):
        stop(3, f"Each rank needs a GPU of its own; here are "
                f"{torch.cuda.device_count()}.")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    meta, entries = about(commit), []
    for text in shapes:
        entries.append(measure(mesh, text))
        wrong = wrong_of(entries[-1])
        if dist.get_rank() == 0:
            show(entries[-1])
            if path:  # a run that is cut off leaves what it has measured
                write(path, as_json({"build_meta": meta,
                                     "shapes": entries}))
        if wrong:
            stop(1, wrong)
    if dist.get_rank() == 0 and path:
        print(f"wrote {path}")
    dist.destroy_process_group()


main()
