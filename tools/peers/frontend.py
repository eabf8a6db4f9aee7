"""cuDNN's attention through its own frontend: in fp16, and in FP8, which PyTorch
does not offer. That one takes one scale a tensor, and its O is E4M3 too."""

import contextlib
import math

import torch

from stages import E4M3_MAX

KINDS = ["cudnn_fp16", "cudnn_fp8"]


def module():
    """The frontend, or None where it is not installed."""
    try:
        import cudnn
    except ImportError:
        return None
    return cudnn


class Graph:
    """One call of cuDNN: what goes in, what comes out, and the plan for it."""

    def __init__(self, cudnn, io):
        self.cudnn, self.io = cudnn, io
        self.handle, self.stream = cudnn.create_handle(), None
        wide = cudnn.data_type.FLOAT
        self.graph = cudnn.pygraph(io_data_type=io, intermediate_data_type=wide,
                                   compute_data_type=wide, handle=self.handle)
        self.kept, self.addresses = [], {}

    def keep(self, its, data):
        self.kept.append(data)
        self.addresses[its] = data.data_ptr()
        return its

    def tensor(self, data):
        return self.keep(self.graph.tensor(
            dim=list(data.shape), stride=list(data.stride()),
            data_type=self.io), data)

    def number(self, value):
        return self.keep(self.graph.tensor(
            dim=[1, 1, 1, 1], stride=[1, 1, 1, 1],
            data_type=self.cudnn.data_type.FLOAT),
            torch.full((1,), value, device="cuda"))

    def output(self, its, data):
        its.set_output(True).set_dim(list(data.shape)).set_stride(
            list(data.stride())).set_data_type(self.io)
        self.keep(its, data)

    def unused(self, its):
        """An output that nobody wants: the largest number of P or O."""
        its.set_output(False).set_dim([1, 1, 1, 1]).set_stride(
            [1, 1, 1, 1]).set_data_type(self.cudnn.data_type.FLOAT)

    def plan(self):
        modes = self.cudnn.heur_mode
        self.graph.validate()
        self.graph.build_operation_graph()
        self.graph.create_execution_plans([modes.A, modes.FALLBACK])
        self.graph.check_support()
        self.graph.build_plans()
        self.workspace = torch.empty(max(self.graph.get_workspace_size(), 1),
                                     device="cuda", dtype=torch.uint8)

    def execute(self, stream):
        if stream != self.stream:
            self.cudnn.set_stream(handle=self.handle, stream=stream)
            self.stream = stream
        self.graph.execute(self.addresses, self.workspace.data_ptr(),
                           handle=self.handle)


class Frontend:
    """A contender; see contenders.py. O can be no larger than `largest`: FP8 is
    given the best scale for it that there is."""

    def __init__(self, name, problem, largest):
        self.name, self.problem = name, problem
        self.scale_of_out = E4M3_MAX / largest if name == "cudnn_fp8" else None

    def missing(self):
        cudnn = module()
        if not cudnn:
            return "no nvidia-cudnn-frontend"
        try:
            if self.scale_of_out:
                self.build_fp8(cudnn)
            else:
                self.build_fp16(cudnn)
            self.graph.plan()
        except (cudnn.cudnnGraphNotSupportedError, RuntimeError) as reason:
            return str(reason).splitlines()[0][:60]
        return None

    def operands(self, sources):
        shape = self.problem.shape
        named = {name: self.graph.tensor(data)
                 for name, data in zip("qkv", sources)}
        return named | {"attn_scale": 1 / math.sqrt(shape.head_dim),
                        "use_causal_mask": shape.causal,
                        "generate_stats": False}

    def build_fp16(self, cudnn):
        problem = self.problem
        self.graph = Graph(cudnn, cudnn.data_type.HALF)
        self.out = torch.empty_like(problem.halves[0])
        out, _ = self.graph.graph.sdpa(**self.operands(problem.halves))
        self.graph.output(out, self.out)

    def build_fp8(self, cudnn):
        problem = self.problem
        self.graph = Graph(cudnn, cudnn.data_type.FP8_E4M3)
        self.out = torch.empty_like(problem.codes[0])
        scales = {"descale_" + name: scale
                  for name, scale in zip("qkv", problem.tensor_scales)}
        # P is at most 1.
        scales |= {"scale_s": E4M3_MAX, "descale_s": 1 / E4M3_MAX,
                   "scale_o": self.scale_of_out}
        out, _, largest_p, largest_o = self.graph.graph.sdpa_fp8(
            **self.operands(problem.codes),
            **{name: self.graph.number(value)
               for name, value in scales.items()})
        self.graph.unused(largest_p)
        self.graph.unused(largest_o)
        self.graph.output(out, self.out)

    def context(self):
        return contextlib.nullcontext()

    def launch(self):
        self.graph.execute(torch.cuda.current_stream().cuda_stream)

    def output(self):
        if self.scale_of_out:
            return self.out.float() / self.scale_of_out
        return self.out
