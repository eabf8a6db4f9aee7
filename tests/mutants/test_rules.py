"""The rules that make mistakes of a kernel make those that they name: a rule
that changes nothing, or something else, makes the score of the gates a lie."""

from editing import Source
from rules import mistakes_of

BEFORE, BEHIND = "__global__ void kernel(args a) {\n  ", "\n}\n"
SYNC, LOAD, LOOP = ("__syncthreads();", "x = tile[1];",
                    "for (int i = 0; i < n; i += 4) x[i] = 0.5f;")

# A rule, of several that edit alike one; code; and what becomes of it, where
# anything does.
CASES = [
    ("barrier-removed", SYNC, ";"),
    ("barrier-doubled", SYNC, f"{SYNC}\n  {SYNC}"),
    ("barrier-up", f"{LOAD}\n  {SYNC}", f"{SYNC}\n  {LOAD}"),
    ("barrier-up", f"x = y;\n  {SYNC}", None),  # the thread's own numbers
    ("barrier-down", f"{SYNC}\n  {LOAD}", f"{LOAD}\n  {SYNC}"),
    ("wait-removed", "if (b) mbarrier_wait(k, p);", "if (b) ;"),
    ("asked-once", "mbarrier_wait(k, p);", "mbarrier_try_wait(k, p);"),
    ("groups-left", "__pipeline_wait_prior(N - 1);",
     "__pipeline_wait_prior(N - 1 + 1);"),
    ("id-off", "named_barrier_sync(1 + f(a, b), 64);",
     "named_barrier_sync(1 + f(a, b) + 1, 64);"),
    ("threads-short", "named_barrier_sync(1, 64);",
     "named_barrier_sync(1, 64 - 32);"),
    ("slot-off", "mbarrier_arrive(k + n);", "mbarrier_arrive(k + n + 1);"),
    ("phase-off", "mbarrier_wait(k, n % 2);", "mbarrier_wait(k, n % 2 ^ 1);"),
    ("buffer-off", "const int slot = n; f(raw[slot]);",
     "const int slot = n; f(raw[(slot ? 0 : 1)]);"),
    ("atomic-plain", "n = atomicAdd(&asked, 1u);",
     "n = (asked += 1u) - 1u;"),
    ("half-a-warp", "f(ALL_LANES, x);", "f((ALL_LANES >> 1), x);"),
    ("lane-off", "y = __shfl_xor_sync(m, x, 1);",
     "y = __shfl_xor_sync(m, x, 1 * 2);"),
    ("statement-left-out", "x[i] += f(1);", ";"),
    ("statement-left-out", "if (b) f(1);", "if (b) ;"),
    ("statement-left-out", "const float x = 1.0f, *y = x; using a = b;", None),
    ("sum-restarted", "l[r] += p;", "l[r] = p;"),
    ("scale-left-out", "x = s * args.q_scale[h];", "x = s * 1.0f;"),
    ("scale-left-out", "const float score_scale = 2.0f;", None),
    ("always", "if (i < n && b) f(1);", "if (true) f(1);"),
    ("never", "x = i < n ? 1 : 2;", "x = false ? 1 : 2;"),
    ("never", "if (N > 1) f(1);", None),  # the compiler knows
    ("less", "if (i < n) f<2>(1);", "if (i <= n) f<2>(1);"),
    ("loop-late", LOOP, LOOP.replace("i = 0", "i = 4")),
    ("loop-long", LOOP, LOOP.replace("i < n", "i <= n")),
    ("loop-long", LOOP.replace("< n", "< N"), None),
    ("minus", "x = -1 - y[-2];", "x = -1 + y[-2];"),
    ("divisor", "row = t / 4 * 2;", "row = t / (2 * 4) * 2;"),
    ("array-short", "__shared__ float t[M][N];",
     "__shared__ float t[M - 1][N];"),
]


def made(rule, text):
    return [m.text for m in mistakes_of(Source("k.cu", text))
            if m.rule.name == rule]


def test_each_rule_makes_the_mistake_that_it_names():
    for rule, code, becomes in CASES:
        wanted = [BEFORE + becomes + BEHIND] if becomes else []
        assert made(rule, BEFORE + code + BEHIND) == wanted, rule


def test_the_host_and_comments_stay_as_they_are():
    for text, times in (
            (f"{BEFORE}// {SYNC}{BEHIND}", 0),
            # A loop that is opened by each of several arms.
            (BEFORE + "\n#if SPLIT\n  for (int i = a; i < e; i++) {\n#else\n"
             f"  for (;;) {{\n#endif\n    {SYNC}\n  }}\n}}\nvoid host() {{\n"
             f"  {SYNC}{BEHIND}", 1)):
        assert len(made("barrier-removed", text)) == times, text
