"""What an object of the reader's may hold. A kernel computes: what opens files,
starts programs, ends this one, or runs before `main` is refused. labs/README.md
says what that does not stop."""

import os
import re
import shlex
import subprocess
from glob import glob

from command import answer, output, text_of

# Functions that a kernel and its launch may call, apart from the executor's:
# those that common/simt/include declares for kernels.
CALLS = """cudaGetLastError cudaPeekAtLastError cudaFuncSetAttribute
  cudaGetDevice cudaDeviceGetAttribute cudaMemsetAsync
  cudaOccupancyMaxActiveBlocksPerMultiprocessor
  cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
  expf exp2f exp logf log2f log2 log10 log fmaf fma fmaxf fminf fmax fmin sqrtf sqrt fabsf
  expm1f log1pf tanhf tanf erff erfcf cbrtf hypotf fmodf exp10f log10f
  powf floorf ceilf roundf rintf lrintf truncf ldexpf ldexp scalbnf sinf
  cosf sin cos tan exp2 pow floor ceil trunc round rint fabs hypot cbrt
  ilogbf logbf nearbyintf lroundf llroundf llrintf nextafterf remainderf
  fdimf asinf acosf atanf atan2f sinhf coshf asinhf acoshf atanhf lgammaf tgammaf
  copysignf sincosf __popcountdi2 __divti3 __udivti3 __modti3 __umodti3
  memcpy memset memmove __stack_chk_fail _GLOBAL_OFFSET_TABLE_
  __sanitizer_cov_trace_pc __ubsan_handle_out_of_bounds
  __ubsan_handle_shift_out_of_bounds __ubsan_handle_float_cast_overflow
  __ubsan_handle_type_mismatch_v1
  __cxa_guard_acquire __cxa_guard_release"""
ALLOWED = {*CALLS.split(), *(
    name for header in ("simt_abi.h", "simt_prelude.h")
    for name in re.findall("simt_[a-z0-9_]+",
                           text_of(f"common/simt/include/{header}")))}
LOOK = "labs/README.md says what a grade does not run"
OWN = {"stage_launch", "stage_support", "stage_toggles", "warmup_launch"}


# With these it could ask who compiles it, or keep the checks from looking.
CUDA_WORDS = "|".join("""global device inline host shared constant restrict forceinline
  launch_bounds grid_constant align attribute VA_ARGS VA_OPT""".split())
WATCHED = (r"\bSIMT\w*|\bsimt\w*|\bNV_[A-Z]+_\w+|"
           r"\b_(?!Pragma\s*\(\s*\"unroll|Static_assert\b)[A-Z]\w*|"
           r"\b__(?!NV_|VA_)[A-Z]\w*|"
           rf"\b__(?!(?:{CUDA_WORDS})__\b)\w+__\b|"
           r"\b__(?:builtin_(?!(?:expect|clzl*|ctzl*|popcountl*)\b)|is_|has_|cpp|func|typeof|decltype|"
           r"alignof|asm|thread\b)\w*|"
           r"\b(?:asm|decltype|typeof|typeid|thread_local)\b|"
           r"\bnoexcept\s*\(|\bstd\s*::\s*(?:is_(?!same|integral|floating_point|signed|"
           r"unsigned|arithmetic|pointer|void)|declval)\w*|"
           r"\bsizeof\s*\(?\s*(?:wgmma_tile|\w+(?:Idx|Dim))\b|"
           r"\b\w*no_(?:sanitize|instrument|profile)\w*|\bno(?:inline|ipa)\b|"
           r"(?m:^)\s*#\s*pragma\s+(?!unroll|nounroll)[^\n]*|"
           r"(?m:^)\s*#\s*define\b[^\n]*#[^\n]*|"
           r"#\s*(?:define|undef)\s+__(?:shared|device|constant)__|\?\?[=/]|%:|"
           r"<:(?!:[^:>])|:>|<%|%>|"
           r"\b__attribute(?:__)?\b(?!\s*\(\(\s*(?:__)?(?:aligned|unused|"
           r"packed|always_inline)(?:__)?\s*(?:\(\s*\w+\s*\)\s*)?\)\))[^;{}\n]*|"
           r"\[\s*\[\s*(?=\w)(?!(?:maybe_unused|nodiscard|fallthrough|deprecated|(?:un)?likely)"
           r"\s*(?:\(\s*\"[^\"]*\"\s*\)\s*)?\])\w+")


# Of C and C++, without those of the system and of the processor.
HEADERS = """algorithm array assert.h bit cassert cfloat cinttypes climits cmath
  cstddef cstdint cstdio cstdlib cstring device_launch_parameters.h float.h functional
  inttypes.h iterator limits limits.h math.h math_constants.h mma.h numeric stdbool.h
  stddef.h stdint.h stdio.h stdlib.h string.h tuple type_traits utility vector_types.h"""


def is_known(header):
    """One of C's or CUDA's, and no file of the reader's, or one that the book's
    own kernels include."""
    if its := re.fullmatch(r"<([\w.]+)>", header):
        return not os.path.exists(its[1]) and (
            its[1] in HEADERS.split() or re.fullmatch(r"cuda\w*\.h", its[1]))
    its = (path for folder in ("stage*", "further/**", "hopper", "labs/warmup",
                               "common/device/**")
           for path in glob(f"{folder}/*.[ch]*", recursive=True))
    return any(f"#include {header}\n" in text_of(path) for path in its)


def directive_fault(text, known):
    """What is asked by #if must be the same for every compiler: the names
    `known`, and what the file itself has defined above, whatever is asked."""
    toggles, known = set(known), {"defined", *known}
    depth, changes = 0, None
    for word, rest in re.findall(r"(?m)^\s*#\s*(\w+)[ \t]*(.*)$", text):
        names = re.findall(r"\b[A-Za-z_]\w*", rest)
        if word in ("include", "include_next", "import"):
            if word != "include" or not is_known(rest.strip()):
                return (f"includes {rest}: it may have the headers of C, C++ and "
                        "CUDA that a kernel has a use for, and those that the "
                        "book's kernels include")
            if changes:
                return (f"has '#{changes}' before it includes {rest}: a macro "
                        "would change the header")
        elif re.match("(el)?if", word) and {*names} - known:
            return (f"asks by '#{word} {rest}' who compiles it: what it asks "
                    "it must have defined before, with no condition")
        elif word in ("define", "undef"):
            name, *of_body = names
            if name not in toggles:
                changes = f"{word} {rest}"
            if word == "define" and ({*of_body} - known or
                                     "defined" in of_body):
                known.discard(name)
            elif word == "define" and not depth:
                known.add(name)
        depth += word.startswith("if") - (word == "endif")
    return None


def source_fault(text, toggles):
    """Of the reader's file, as the compiler's own lexer parts it from its
    comments. The book's toggles may be asked for."""
    text = re.sub(r"\\[ \t\f\v\r]*\n", "", text)
    if its := re.search(r"(?m)^\s*#\s*(?:line\b|\d).*", text):
        return f"has '{its[0].strip()}': its lines are its own"
    if its := re.search(r'\b(?:u8|[uUL])?R"', text):
        return f"has '{its[0]}', a raw string: no kernel needs one"
    plain = answer([*shlex.split(os.environ.get("CXX") or "g++"),
                    "-fpreprocessed", "-dD", "-E", "-P", "-xc++", "-std=c++17",
                    "-w", "-"], stderr=subprocess.DEVNULL,
                   input=text.encode(errors="surrogateescape"))
    if plain is None:
        return "cannot be read: a comment, text or #if in it has no end"
    its = re.search(WATCHED, plain)
    maps = "|".join(["CUtensorMap", *re.findall(
        r"\bstruct\s+(\w+)\s*\{[^{}]*\bCUtensorMap\s+\w", plain)])
    copied = next((its for its in re.finditer(
        rf"[(,]\s*(?:(?:const|struct)\s+)*(?:{maps})\s+(?:const\s+)?(\w+)\s*"
        r"(?=[,)])", plain) if re.search(r"__(?:global|device)__[^;{}]*$",
                                        plain[:its.start()])), None)
    if its_own := re.search(r"\bextern\s+__shared__", plain):
        return (f"has '{its_own[0]}': DYNAMIC_SHARED(type, name) is what the "
                "book's kernels have for it")
    if "<<<" in plain:
        return ("has '<<<': LAUNCH(kernel, grid, block, bytes, stream, arguments) "
                "is what the executor has for it")
    if copied:
        return (f"takes {copied[1]}, a tensor map, as a parameter that is no "
                "__grid_constant__: TMA cannot read a thread's copy of it")
    if its:
        return (f"has '{its[0].strip()}', by which it could tell who compiles "
                "or checks it: leave it out, or choose another name")
    return directive_fault(plain, toggles)


# What a region may name that its program does not: C++'s own words, and others
WORDS = """auto bool break case char const constexpr continue default do double else
  enum false float for goto if int int8_t int16_t int32_t int64_t long maybe_unused
  nullptr reinterpret_cast return short signed sizeof size_t static_assert
  static_cast struct switch true typedef uint8_t uint16_t uint32_t uint64_t
  uintptr_t unsigned using void volatile while min max abs INFINITY NAN
  blockDim blockIdx gridDim threadIdx warpSize""".split()


def region_fault(text, program):
    """Of regions of a program that judges itself, as printed by its main: they
    are statements of a kernel, and nothing else."""
    text = re.sub(r"(?s)//[^\n]*|/\*.*?\*/|#[ \t]*pragma[ \t]+(?:no)?unroll\b",
                  "", text)
    its = re.search(r"#\s*(?:define|undef|include)\b.*", text)
    if its:
        return f"has '{its[0]}' in a region: a macro reaches beyond it"
    # Of what the program's own main calls, or what begins as CUDA's words do
    its = re.search(r"\b(?:\w*printf|_?_?[eE]xit|std\s*::\s*\w+|__trap)\b", text)
    if its:
        return f"has '{its[0]}' in a region, where only a kernel computes"
    its = re.search(r"[\"'].*", text)
    if its:
        return f"has '{its[0]}' in a region: no text and no character is needed"
    depth = 0
    for brace in re.findall("[{}]", text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return "has a region that ends the kernel"
    # A name is declared behind a word, or behind a type and a *.
    declared = re.findall(
        r"(?!(?:return|else|do|goto|case)\b)\b(?:\w+\s+|(?:auto|bool|char|float|"
        r"double|int|long|short|unsigned|const|\w+_t)\s*[*&]+\s*)(\w+)"
        r"(?=\s*[=;,:)\[{])|,\s*(\w+)\s*=[^=]", text)
    several = ",".join(sum(re.findall(
        r"\b(?:auto|bool|char|float|double|int|long|short|unsigned|\w+_t)\b"
        r"([^;(){}]*);|\benum\b[^;{]*\{([^}]*)\}|\bauto\b[\s&]*\[([^]]*)\]|"
        r"\([*&]\s*(\w+)\)\s*\[|\b(?:bool|float|int|unsigned)\s+(\w+)\("
        r"[^();]*\)\s*;", text), ()))
    own = {*sum(declared, ()), *re.findall(r"(?:^|,)[\s*&]*(\w+)", several),
           *re.findall(r"\w+", program), *WORDS, *ALLOWED}
    for name in re.findall(r"(?<![.\w])(?<!->)[A-Za-z_]\w*", text):
        if name not in own and not name.startswith("__"):
            return (f"names {name} in a region, which neither the program has "
                    "nor CUDA's arithmetic")
    return None


def symbol_fault(kind, symbol, of_book):
    """Variables may have any name, and functions any that C++ has mangled, or
    that no library has."""
    def name():  # as the reader wrote it
        return (answer(["c++filt", symbol]) or symbol).rstrip()
    if kind == "i":
        return "chooses a function while it is loaded"
    if symbol.startswith("__tsan_vptr"):
        return ("makes or copies an object with virtual functions: CUDA takes "
                "none as an argument of a kernel")
    if symbol.startswith("__tsan_atomic"):
        return ("has a static variable that its first call sets, or an atomic "
                "of C++: no kernel needs either")
    if kind in "Uwv":
        if symbol in ALLOWED | of_book or symbol.startswith("__tsan_"):
            return None
        if symbol in ("printf", "puts", "putchar", "__assert_fail"):
            return (f"calls {'assert' if symbol[0] == '_' else 'printf'}: of "
                    "use in check, remove it for a grade")
        return f"calls {name()}, which a grade lets no kernel call"
    if symbol in OWN | of_book or kind not in "TW" or (
            symbol.startswith("_Z") and not re.match("_Z[nd][wla]", symbol)
            or symbol.endswith("_kernel")):
        return None
    return (f"defines {name()}, a name that is not a kernel's to give, but "
            "where it is static, or ends in _kernel")


def symbols_fault(path, book):
    of_book = set(re.findall(r"[A-Za-z] (\S+)\n", output("nm", "-g", book))
                  ) if book else set()
    symbols = re.findall(r"(?m)^\s*[0-9a-f]* ([A-Ziwv]) (.+)$",
                         output("nm", path))
    return next(filter(None, (symbol_fault(*its, of_book) for its in symbols)),
                None)


def variables_fault(path):
    """Shared memory, which the executor has made thread-local, is no variable
    that one launch could leave to the next."""
    its = re.search(r"(?m)^(?!_ZZ)([^|]+?) *\|.*\| *TLS\|",
                    output("nm", "-f", "sysv", "--defined-only", path))
    if its:
        return (f"has a shared variable {its[1]} outside of all kernels, where "
                "code of the host could use it")
    its = re.search(r"(?m)^([^|]+?) *\|(?![^|]*\| *r *\|.*\|simt_constant)"
                    r".*\| *OBJECT\|.*\|(?!\.rodata|\.data\.rel\.ro)\S*$",
                    output("nm", "-C", "-f", "sysv", "--defined-only", path))
    return its and (f"has a variable {its[1]} that outlives the launch: a "
                    "kernel keeps nothing from one to the next, and tables are const")


def sections_fault(path, constructors):
    """The instrumented build has one constructor, gcc's own."""
    sizes = [int(size, 16) for section, size in re.findall(
        r"\n\s*\d+\s+(\S+)\s+([0-9a-f]+)", output("objdump", "-h", path))
        if re.match(r"\.(p?r?e?init|fini|[cd]tors)", section)]
    if sum(sizes) > 8 * constructors:
        return "does something before it is launched or after the program's end"
    return None


def fault_of(path, constructors, book):
    """Why an object is refused, or None. What the object `book` defines and
    calls, where there is one, this may define and call as well."""
    return (symbols_fault(path, book) or sections_fault(path, constructors)
            or variables_fault(path))
