"""libfp8attention's own Python, and its C with no kernel behind it."""

import ctypes
import sys

import pytest

from support import ROOT, run

# Of CUDA, and instead of kernels.
STANDIN = """
#include "libfp8attention/kernel.h"
#include "libfp8attention/quantise.h"
int major = 9, minor, launches, launch_error, left_error;
int current, device_of_memory, launched_on, multiprocessors, keys, items;
static cudaError_t launch(void) {
  launches++;
  launched_on = current;
  return left_error = launch_error;
}
cudaError_t kernel_launch(const attention_args *a, const kernel_options *o,
                          cudaStream_t s) {
  (void)s, multiprocessors = o->multiprocessors, keys = a->key_len;
  return launch();
}
int64_t kernel_workspace(const attention_args *a, const kernel_options *o) {
  return (void)a, (void)o, 4096;
}
cudaError_t no_keys_launch(const attention_args *a, const kernel_options *o,
                           cudaStream_t s) {
  return kernel_launch(a, o, s);
}
cudaError_t quantise_launch(const quantise_args *a, cudaStream_t s) {
  return (void)s, items = a->items, launch();
}
cudaError_t cudaGetDevice(int *device) { return *device = current, 0; }
cudaError_t cudaSetDevice(int device) { return current = device, 0; }
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *found,
                                     const void *memory) {
  (void)memory, found->device = device_of_memory;
  return found->type = cudaMemoryTypeDevice, 0;
}
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which,
                                   int device) {
  *value = which == cudaDevAttrMultiProcessorCount      ? 132
           : which == cudaDevAttrComputeCapabilityMajor ? major
                                                        : minor;
  return device != device_of_memory;
}
cudaError_t cudaPeekAtLastError(void) { return left_error; }
cudaError_t cudaGetLastError(void) { return left_error = 0; }
const char *cudaGetErrorString(cudaError_t error) {
  return error == 1 ? "CUDA's own words." : "";
}
"""


@pytest.fixture(scope="session")
def python():
    """fp8attention.py, without PyTorch."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "libfp8attention"))
    import fp8attention
    return fp8attention


@pytest.fixture(scope="session")
def library(python, tmp_path_factory):
    """Nothing reads memory: any address will do. Undefined behaviour traps."""
    source = tmp_path_factory.mktemp("library") / "standin.c"
    source.write_text(STANDIN)
    headers = run("tools/setup/cuda-home.sh --headers").text.strip()
    built = run(f"${{CC:-gcc}} -std=c11 -shared -fPIC -fsanitize=undefined "
                f"-fsanitize-undefined-trap-on-error -I. -isystem {headers} "
                f"-o {source}.so {source} libfp8attention/*.c")
    assert built.code == 0, built.text
    return python.load(f"{source}.so")


@pytest.fixture
def cuda(library):
    """Sets what CUDA says; how many kernels were started."""
    def say(**values):
        for name, value in values.items():
            ctypes.c_int.in_dll(library, name).value = value
        return ctypes.c_int.in_dll(library, "launches").value
    say.told = lambda name: ctypes.c_int.in_dll(library, name).value
    yield say
    say(major=9, minor=0, launches=0, launch_error=0, left_error=0, current=0,
        device_of_memory=0)
