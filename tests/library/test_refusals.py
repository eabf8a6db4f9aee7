"""A caller whose tensors cannot be computed must get a code and a sentence, and
no kernel that reads or writes what is not his."""

import ctypes
import math
import re

import pytest

from support import ROOT

CODES = {name: int(number) for name, number in re.findall(
    r"FP8ATTENTION_(\w+) = (\d+)[, ]",
    (ROOT / "libfp8attention/fp8attention.h").read_text())
    if name not in ("FP16", "BF16")}
LEAST, MOST = -2**63, 2**63 - 1
Q, K, V, O, LSE, SCALES, ROOM = (n << 20 for n in range(1, 8))
ALL = 2 * 4 * 70 * 64  # elements of q and o
INPUT_STRIDES = " ".join(f"{name}_strides.{dimension}" for name in "qkv"
                         for dimension in ("row", "head", "batch"))


def put(structure, path, value):
    *outer, last = path.split(".")
    for name in outer:
        structure = getattr(structure, name)
    setattr(structure, last, value)
    return structure


@pytest.fixture
def problem(python):
    """Right: 2 batches, 4 heads of 70 rows, which share 2 heads of keys."""
    q, k = (python.Strides(70 * h * 64, 64, h * 64) for h in (4, 2))
    return python.Problem(2, 4, 2, 70, 64, Q, K, V, O, q, k, k, q, SCALES,
                          SCALES + 32, SCALES + 48, 0.125)


@pytest.fixture
def tensor(python):
    apart = python.Strides(70 * 4 * 64, 64, 4 * 64)
    return python.Tensor(2, 4, 70, 64, 1, Q, K, SCALES, apart, apart)


@pytest.fixture
def forward(library, cuda):
    def returns(problem, code):
        cuda(launches=0)
        got = library.fp8attention_forward(
            problem and ctypes.byref(problem), None)
        assert got == CODES[code], library.fp8attention_error_text(got)
        assert cuda() == (code == "OK")
    return returns


@pytest.fixture
def quantise(library, cuda, python):
    def returns(tensors, code, room=ROOM, count=None):
        cuda(launches=0)
        got = library.fp8attention_quantise(
            (python.Tensor * len(tensors))(*tensors) if tensors else None,
            len(tensors) if count is None else count, room, None)
        assert got == CODES[code], library.fp8attention_error_text(got)
        assert cuda() == (code == "OK")
    return returns


# Each of these values in each of these fields
@pytest.mark.parametrize("code, fields, values", [
    ("NULL_POINTER", "q k v o q_scale k_scale v_scale", [None]),
    ("BAD_SIZE", "batch heads seq_len", [-1, LEAST, MOST, 2**31]),
    ("BAD_SIZE", "kv_heads", [0, -1, LEAST]),
    ("BAD_SIZE", "batch", [2**27 + 1]),
    ("BAD_SIZE", "seq_len key_len", [2**30 + 1]),
    ("BAD_SIZE", "key_len", [-2, LEAST, MOST]),
    ("BAD_HEAD_DIM", "head_dim", [0, -64, 32, 63, 65, 96, 256, MOST]),
    ("BAD_KV_HEADS", "kv_heads", [3, 5, 8, MOST]),
    ("BAD_SOFTMAX_SCALE", "softmax_scale",
     [0.0, -0.125, math.inf, -math.inf, math.nan]),
    ("BAD_FORMAT", "o_format", [-1, 3]),
    ("BAD_MULTIPROCESSORS", "max_multiprocessors", [-1]),
    ("BAD_STRUCT", "size", [1, 239, 241, 247]),
    ("MISALIGNED", "q k v", [Q + by for by in range(1, 16)]),
    ("MISALIGNED", "o", [O + by for by in range(1, 8)]),
    ("MISALIGNED", "q_scale k_scale v_scale lse", [LSE + 1, LSE + 2, LSE + 3]),
    ("BAD_INPUT_STRIDE", INPUT_STRIDES,
     [0, -64, 16, 48, 65, 72, 136, 2**40, MOST, LEAST]),
    # o is [2][70][4][64]: strides of 17920, 64 and 256.
    ("BAD_OUTPUT_STRIDE", "o_strides.row",
     [0, -256, 64, 128, 252, 258, 259, MOST - 3]),
    ("BAD_OUTPUT_STRIDE", "o_strides.head",
     [0, -64, 60, 65, 66, 68, 256, 17920, MOST - 3]),
    ("BAD_OUTPUT_STRIDE", "o_strides.batch",
     [0, -1, 64, 256, 17916, 17922, MOST - 3]),
])
def test_a_problem(forward, problem, code, fields, values):
    for field in fields.split():
        for value in values:
            changed = type(problem).from_buffer_copy(problem)
            put(changed, field, value)
            forward(changed, code)
    forward(None, "NULL_POINTER")


def test_where_there_is_nothing_to_do(library, cuda, problem, tensor, quantise):
    for name in "batch", "heads", "seq_len":
        none = put(type(problem).from_buffer_copy(problem), name, 0)
        for pointer in "q", "k", "v", "o", "q_scale", "k_scale", "v_scale":
            put(none, pointer, None)
        cuda(launches=0)
        assert library.fp8attention_forward(ctypes.byref(none), None) == 0
        empty = put(type(tensor).from_buffer_copy(tensor), name, 0)
        empty.values = empty.codes = empty.scale = None
        assert library.fp8attention_quantise(
            (type(tensor) * 2)(empty, empty), 2, None, None) == 0
        assert cuda() == 0
        quantise([empty, tensor, empty], "OK")
        some = cuda.told("items")
        quantise([tensor], "OK")
        assert cuda.told("items") == some


def test_no_keys(forward, problem, cuda):
    problem.key_len = -1
    for pointer in "q", "k", "v", "q_scale", "k_scale", "v_scale":
        put(problem, pointer, None)
    forward(problem, "OK")
    assert cuda.told("keys") == 0
    problem.o = None
    forward(problem, "NULL_POINTER")


def test_a_struct_that_has_grown(library, problem):
    """It is taken where what this library does not know is 0."""
    size = ctypes.sizeof(problem)
    for known, code in ((0, "OK"), (size, "OK"), (size + 8, "OK"),
                        (size + 9, "BAD_STRUCT")):
        problem.size = known
        whole = ctypes.create_string_buffer(bytes(problem) + bytes(8) + b"1")
        assert library.fp8attention_forward(
            ctypes.cast(whole, ctypes.POINTER(type(problem))),
            None) == CODES[code]


def test_multiprocessors_and_devices(forward, problem, quantise, tensor, cuda):
    for most, used in (0, 132), (1, 1), (130, 130), (1000, 132):
        problem.max_multiprocessors = most
        forward(problem, "OK")
        assert cuda.told("multiprocessors") == used
    cuda(device_of_memory=1)
    forward(problem, "OK")
    assert (cuda.told("launched_on"), cuda.told("current")) == (1, 0)
    cuda(launched_on=0)
    quantise([tensor], "OK")
    assert (cuda.told("launched_on"), cuda.told("current")) == (1, 0)
    cuda(major=8)
    forward(problem, "WRONG_DEVICE")
    assert cuda.told("current") == 0


def test_how_far_tensors_reach(forward, problem):
    """(2^30 - 1) * 2^30 + 64 elements are the first within 2^60, so that only
    o is in the way, which they reach."""
    problem.batch = problem.heads = problem.kv_heads = 1
    problem.seq_len = 2**30
    for name in "qkvo":
        put(problem, f"{name}_strides.row", 64)
    for name in "qkvo":
        strides = getattr(problem, f"{name}_strides")
        strides.row = 2**30 + (4 if name == "o" else 16)
        forward(problem, f"BAD_{'OUT' if name == 'o' else 'IN'}PUT_STRIDE")
        strides.row = 2**30
        forward(problem, "OVERLAP")
        strides.row = 64
    problem.seq_len, problem.key_len = 1, 2**30
    problem.v_strides.row = 2**30 + 16
    forward(problem, "BAD_INPUT_STRIDE")


@pytest.mark.parametrize("out, size", [("o", 2 * ALL), ("lse", 4 * ALL // 64)])
@pytest.mark.parametrize("begin, other", [
    (Q, ALL), (K, ALL // 2), (V, ALL // 2), (SCALES, 32), (SCALES + 32, 16),
    (SCALES + 48, 16), (O, 2 * ALL)])
def test_outputs_lie_in_nothing_else(forward, problem, out, size, begin, other):
    """Where one begins, and where only a few bytes are of both."""
    few = 8 if out == "o" else 4
    for start in begin, begin + other - few, begin - size + few:
        if out == "lse" or begin != O:
            setattr(problem, out, start)
            forward(problem, "OVERLAP")


def test_workspace(forward, problem, library, python):
    """4,096 bytes here. A struct that ends before the field has none."""
    assert library.fp8attention_forward_workspace(ctypes.byref(problem)) == 4096
    problem.workspace = ROOM + 8
    forward(problem, "OK")
    problem.size = ctypes.sizeof(python.Problem)
    forward(problem, "MISALIGNED")
    for other, size in (Q, ALL), (O, 2 * ALL), (SCALES, 64):
        for at in other, other + size - 16, other - 4096 + 16:
            problem.workspace = at
            forward(problem, "OVERLAP")
        problem.workspace = other - 4096
        forward(problem, "OK")
    problem.size = python.Problem.workspace.offset
    problem.workspace = O
    forward(problem, "OK")
    problem.heads = -1
    assert library.fp8attention_forward_workspace(ctypes.byref(problem)) == 0
    assert library.fp8attention_forward_workspace(None) == 0


def test_strides_of_single_things(forward, problem, library):
    """PyTorch leaves anything there where a size is 1."""
    for odd in 0, 1, -7, MOST, LEAST:
        for sizes, strides in (("batch heads kv_heads", "batch head"),
                               ("seq_len", "row")):
            single = type(problem).from_buffer_copy(problem)
            for name in sizes.split():
                put(single, name, 1)
            library.fp8attention_contiguous(ctypes.byref(single))
            for name in strides.split():
                for tensor in "qkvo":
                    put(single, f"{tensor}_strides.{name}", odd)
            forward(single, "OK")
    library.fp8attention_contiguous(None)


def test_side_by_side_they_are_apart(forward, problem, library):
    problem.q = O + 2 * ALL
    forward(problem, "OK")
    problem.q -= 16
    forward(problem, "OVERLAP")
    problem.q = O - ALL
    forward(problem, "OK")
    problem.key_len = 35  # k and v reach as far as their own rows do
    library.fp8attention_contiguous(ctypes.byref(problem))
    for strides, heads, rows in ((problem.q_strides, 4, 70),
                                 (problem.v_strides, 2, 35)):
        assert (strides.batch, strides.head, strides.row) == (
            heads * rows * 64, rows * 64, 64)


@pytest.mark.parametrize("code, field, values", [
    ("BAD_SIZE", "batch", [-1]), ("BAD_SIZE", "heads", [LEAST, 2**30]),
    ("BAD_SIZE", "seq_len", [-1, 2**30 + 1]),
    ("BAD_HEAD_DIM", "head_dim", [32]),
    ("BAD_FORMAT", "format", [0, 3]),
    ("NULL_POINTER", "values", [None]), ("NULL_POINTER", "codes", [None]),
    ("NULL_POINTER", "scale", [None]),
    ("MISALIGNED_VALUES", "values", [Q + 8]),
    ("MISALIGNED_VALUES", "codes", [K + 8]),
    ("MISALIGNED_VALUES", "scale", [SCALES + 2]),
    ("BAD_VALUES_STRIDE", "values_strides.row", [4 * 64 + 4]),
    ("BAD_VALUES_STRIDE", "values_strides.head", [0]),
    ("BAD_VALUES_STRIDE", "values_strides.batch", [2**40, -64]),
    ("BAD_CODES_STRIDE", "codes_strides.row", [4 * 64 + 8, 48]),
    ("BAD_CODES_STRIDE", "codes_strides.head", [69 * 64]),
    ("BAD_CODES_STRIDE", "codes_strides.batch", [64]),
    ("CODES_OVERLAP", "codes", [Q, Q - ALL + 16, Q + 2 * ALL - 16, ROOM]),
    ("CODES_OVERLAP", "scale", [K, K + ALL - 4, Q + 2 * ALL - 4, ROOM]),
    ("OK", "codes", [Q - ALL, Q + 2 * ALL]),
])
def test_a_tensor(quantise, tensor, code, field, values):
    for value in values:
        put(tensor, field, value)
        quantise([tensor], code)


def test_parts_of_one_tensor(quantise, tensor):
    """Codes and values of q, k and v, a head behind the other."""
    tensor.values_strides = tensor.codes_strides = (70 * 768, 64, 768)
    parts = []
    for part in range(3):
        parts.append(type(tensor).from_buffer_copy(tensor))
        parts[-1].values += 2 * 256 * part
        parts[-1].codes += 256 * part
        parts[-1].scale += 64 * part
    quantise(parts, "OK")


def test_several_tensors_and_their_room(quantise, python, library, tensor):
    quantise([tensor], "OK")
    one = type(tensor).from_buffer_copy(tensor)  # of a single head, any strides
    one.batch = one.heads = 1
    one.values_strides = one.codes_strides = (LEAST, 3, 4 * 64)
    quantise([one], "OK")
    quantise(None, "NULL_POINTER", count=1)
    for count in 0, 5, -1:
        quantise([tensor], "BAD_COUNT", count=count)
    quantise([tensor], "NULL_POINTER", room=None)
    quantise([tensor], "MISALIGNED_VALUES", room=ROOM + 8)
    quantise([tensor, tensor], "CODES_OVERLAP")  # the same scales
    two = (python.Tensor * 2)(tensor, tensor)
    for one in two:
        one.heads, one.seq_len = 2**27, 128  # 2 batches, 2 pieces
    quantise(two, "BAD_CODES_STRIDE")
    two[1].heads += 1
    quantise(two, "BAD_SIZE")
    assert library.fp8attention_workspace(two, 2) == 0
    assert library.fp8attention_workspace(None, 1) == 0


def test_devices_and_cudas_own_errors(library, cuda, forward, problem):
    for major, minor in (8, 0), (8, 9), (9, 1), (10, 0), (12, 0):
        cuda(major=major, minor=minor)
        forward(problem, "WRONG_DEVICE")
    cuda(major=9, minor=0, launch_error=1)
    problem = ctypes.byref(problem)
    invalid = CODES["CUDA"] + 1
    assert library.fp8attention_forward(problem, None) == invalid
    cuda(launch_error=0)  # a refused launch is over, what an earlier call left
    assert library.fp8attention_forward(problem, None) == 0
    cuda(left_error=1)  # is the caller's to take
    assert library.fp8attention_forward(problem, None) == invalid
    assert library.fp8attention_forward(problem, None) == invalid
    assert library.fp8attention_error_text(invalid) == b"CUDA's own words."


def test_each_code_has_a_sentence(library):
    def text(code):
        return library.fp8attention_error_text(code)
    sentences = {text(code) for name, code in CODES.items() if name != "CUDA"}
    assert len(sentences) == len(CODES) - 1 == 19
    assert text(-1) == text(11) == text(1000) not in sentences
