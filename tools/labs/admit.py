"""What an object of the reader's may hold. A kernel computes: what opens files,
starts programs, ends this one, or runs before `main` is refused. labs/README.md
says what that does not stop."""

import re

from command import answer, output, text_of

# Functions that a kernel and its launch may call, apart from the executor's:
# those that common/simt/include declares for kernels.
CALLS = """cudaGetLastError cudaPeekAtLastError cudaFuncSetAttribute
  cudaGetDevice cudaDeviceGetAttribute cudaMemsetAsync
  cudaOccupancyMaxActiveBlocksPerMultiprocessor
  expf exp2f exp logf log2f log fmaf fma fmaxf fminf fmax fmin sqrtf sqrt fabsf
  powf floorf ceilf roundf rintf lrintf truncf ldexpf ldexp frexpf scalbnf sinf
  cosf memcpy memset memmove __stack_chk_fail _GLOBAL_OFFSET_TABLE_
  __sanitizer_cov_trace_pc __ubsan_handle_out_of_bounds
  __cxa_guard_acquire __cxa_guard_release"""
ALLOWED = {*CALLS.split(), *(
    name for header in ("simt_abi.h", "simt_launch.h", "simt_builtins.h")
    for name in re.findall("simt_[a-z0-9_]+",
                           text_of(f"common/simt/include/{header}")))}
OWN = {"stage_launch", "stage_support", "stage_toggles", "warmup_launch"}


# With these it could ask who compiles it, or keep the checks from looking.
WATCHED = (r"\bSIMT\w*|\bsimt\w*|\b__(?:SANITIZE|GNUC|clang|CUDA|NVCC|x86_64|"
           r"aarch64|has_)\w*|\b\w*no_(?:sanitize|instrument|profile)\w*|"
           r"#\s*pragma\s+(?:GCC|clang|push_macro)\b[^\n]*|"
           r"#\s*(?:define|undef)\s+(?:__shared__|__device__)|##")


def source_fault(text):
    """Of the reader's file, without comments."""
    its = re.search(WATCHED, re.sub(r"(?s:/\*.*?\*/)|//[^\n]*|\\\n", "",
                                    text))
    return its and (f"has '{its[0]}', by which it could tell who compiles or "
                    "checks it: a kernel is the same everywhere")


def symbol_fault(kind, symbol, of_book):
    """Variables may have any name, and functions any that C++ has mangled."""
    def name():  # as the reader wrote it
        return (answer(["c++filt", symbol]) or symbol).rstrip()
    if kind == "i":
        return "chooses a function while it is loaded"
    if symbol.startswith("__tsan_atomic"):
        return ("has a static variable that its first call sets, or an atomic "
                "of C++: no kernel needs either")
    if kind in "Uwv":
        if symbol in ALLOWED | of_book or symbol.startswith("__tsan_"):
            return None
        if symbol == "printf":
            return "calls printf: of use in check, remove it for a grade"
        return f"calls {name()}, which no kernel needs"
    if symbol in OWN | of_book or kind not in "TW" or (
            symbol.startswith("_Z") and not re.match("_Z[nd][wla]", symbol)):
        return None
    return f"defines {name()}, a name that is not a kernel's to give"


def symbols_fault(path, book):
    of_book = set(re.findall(r"[A-Za-z] (\S+)\n", output("nm", "-g", book))
                  ) if book else set()
    symbols = re.findall(r"(?m)^\s*[0-9a-f]* ([A-Ziwv]) (.+)$",
                         output("nm", path))
    return next(filter(None, (symbol_fault(*its, of_book) for its in symbols)),
                None)


def sections_fault(path, constructors):
    """The instrumented build has one constructor, gcc's own."""
    sizes = [int(size, 16) for section, size in re.findall(
        r"\n\s*\d+\s+(\S+)\s+([0-9a-f]+)", output("objdump", "-h", path))
        if re.match(r"\.(p?r?e?init|fini|[cd]tors)", section)]
    if sum(sizes) > 8 * constructors:
        return "does something before it is launched or after the program's end"
    return None


def instructions_fault(path):
    if re.search(r"\b(syscall|sysenter|int +\$0x80)",
                 output("objdump", "-d", "--no-show-raw-insn", path)):
        return "calls the system itself"
    return None


def fault_of(path, constructors, book):
    """Why an object is refused, or None. What the object `book` defines and
    calls, where there is one, this may define and call as well."""
    return (symbols_fault(path, book) or sections_fault(path, constructors)
            or instructions_fault(path))
