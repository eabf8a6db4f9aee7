"""PyTorch's context parallel attention in fp16, timed on several GPUs.

  python3 -m torch.distributed.run --standalone --nproc-per-node 2 \
    context_parallel.py FILE.json COMMIT SHAPE...    (context_parallel.sh does it)

A shape is B,H,S,D or B,H,S,D,causal, S the whole sequence. Rotation by all-gather
is PyTorch's default, all-to-all its ring. Keys and values are halves, twice the
bytes of FP8. Exit code: 0; 1 an output is wrong; 2 usage; 3 this cannot run here."""

import datetime
import math
import os
import statistics
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../results"))
import compact

ROTATIONS = ("allgather", "alltoall")
WARM, ROUNDS, SAMPLE_US, MOST_BATCH = 2, 10, 4000.0, 20
ARM_US = 1.5e6
LARGEST_ERROR = 0.01  # relative RMS; the parts are merged from halves
CHECKED_ROWS = 16384  # longer sequences are not compared


def stop(code, sentence):
    if int(os.environ.get("RANK", "0")) == 0:
        print(sentence, file=sys.stderr)
    sys.exit(code)


try:
    import torch
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.experimental import context_parallel
    from torch.distributed.tensor.experimental import _attention as attention
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError as lacking:
    stop(3, f"PyTorch's context parallel attention is not here: {lacking}.")


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
    rounds = min(max(int(ARM_US / (one * times)), 5), ROUNDS)
    samples = [once(action, times) for _ in range(rounds)]
    return {"p50_us": statistics.median(samples), "runs_a_sample": times,
            "samples_us": samples}


def inputs(shape):
    generator = torch.Generator(device="cuda").manual_seed(0)
    return [torch.randn(shape, generator=generator, device="cuda",
                        dtype=torch.float16) for _ in range(3)]


def options_of():
    """Where this PyTorch keeps the switch; it has moved between versions."""
    for place in (attention, getattr(attention, "_attention", None)):
        found = getattr(place, "_cp_options", None)
        if found is not None:
            return found
    stop(3, "This PyTorch has no _cp_options: context_parallel.py knows 2.11.")


def in_parallel(mesh, shape, causal, rotation, whole):
    """Times and, where `whole` is the right output, the relative RMS error."""
    attention.set_rotate_method(rotation)
    options_of().enable_load_balance = causal
    tensors = inputs(shape)
    with context_parallel(mesh, buffers=tensors, buffer_seq_dims=[2, 2, 2],
                          no_restore_buffers=set(tensors)):
        record = timed(lambda: sdpa(tensors, causal))
        out = sdpa(tensors, causal)
        if whole is not None:
            (out,) = attention.context_parallel_unshard(mesh, [out], [2])
    if whole is not None:
        error = (out.float() - whole.float()).norm() / whole.float().norm()
        record["rel_rms"] = largest(error.item())
        if not record["rel_rms"] <= LARGEST_ERROR:
            stop(1, f"{rotation} at {shape}: error {record['rel_rms']:.3g}.")
    return record


def alone(shape, causal):
    """Rank 0's card; the others wait."""
    tensors = inputs(shape) if dist.get_rank() == 0 else None
    return timed(lambda: tensors and sdpa(tensors, causal))


def measure(mesh, text):
    shape, causal = shape_of(text)
    whole = None
    entry = {"name": text, "shape": list(shape), "causal": causal}
    with torch.no_grad(), sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        if shape[2] <= CHECKED_ROWS:
            whole = sdpa(inputs(shape), causal)
        entry["one-card"] = timed_alone = alone(shape, causal)
        for rotation in ROTATIONS:
            try:
                record = in_parallel(mesh, shape, causal, rotation, whole)
            except (RuntimeError, AttributeError, TypeError) as why:
                entry[rotation] = {"absent": str(why).split("\n")[0]}
                continue
            record["speedup"] = timed_alone["p50_us"] / record["p50_us"]
            entry[rotation] = record
    return entry


def show(entry):
    words = []
    for name in ("one-card", *ROTATIONS):
        record = entry[name]
        words.append(f"{name} " + (
            f"{record['p50_us']:.0f} us ({record.get('speedup', 1):.2f}x)"
            if "p50_us" in record else f"cannot: {record['absent'][:60]}"))
    print(f"{entry['name']:24} " + "  ".join(words), flush=True)


def main():
    if len(sys.argv) < 4:
        stop(2, __doc__)
    path, commit, *shapes = sys.argv[1:]
    if not torch.cuda.is_available():
        stop(3, "PyTorch finds no GPU here.")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    entries = []
    for text in shapes:
        entries.append(measure(mesh, text))
        if dist.get_rank() == 0:
            show(entries[-1])
    if dist.get_rank() == 0:
        now = datetime.datetime.now(datetime.timezone.utc)
        meta = {"schema_version": 1, "commit": commit,
                "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "torch": torch.__version__, "ranks": dist.get_world_size(),
                "nccl": ".".join(map(str, torch.cuda.nccl.version())),
                "device": {"name": torch.cuda.get_device_name(),
                           "is_gpu": True}}
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(compact.text({"build_meta": meta, "shapes": entries}))
        os.replace(path + ".new", path)
        print(f"wrote {path}")
    dist.destroy_process_group()


main()
