#include "tools/mutants/mutants.h"

#include <stdlib.h>

/* Lists of patterns. */
#define THESE(...)                                                             \
  (const char *const[]) {                                                      \
    __VA_ARGS__, NULL                                                          \
  }

#define BARRIERS THESE("__syncthreads", "__syncwarp", "named_barrier_sync")
#define WAITS                                                                  \
  THESE("__pipeline_wait_prior", "mbarrier_wait", "wgmma_wait", "wait_*",      \
        "await_turn")
#define COMMITS THESE("__pipeline_commit", "wgmma_commit")
#define FENCES THESE("fence_async_proxy", "wgmma_fence")
#define ARRIVALS                                                               \
  THESE("mbarrier_arrive*", "named_barrier_arrive", "release", "say_*",        \
        "pass_turn")
#define ON_MBARRIERS                                                           \
  THESE("mbarrier_wait", "mbarrier_arrive", "mbarrier_arrive_expecting",       \
        "wait_*", "say_*", "release")
#define NAMED THESE("named_barrier_sync", "named_barrier_arrive")
#define SCALES                                                                 \
  THESE("args . *_scale", "*_scale", "rescale", "factor", "row_factor",        \
        "weight")
#define SHUFFLES THESE("__shfl_sync", "__shfl_xor_sync")

#define EDITS(KIND, WHERE)                                                     \
  {KIND "-removed", find_calls, WHERE, "empty", "'%s' is left out.", true},    \
  {KIND "-doubled", find_calls, WHERE, "double", "'%s' is there twice.", true},\
  {KIND "-up", find_calls, WHERE, "up", "'%s' comes a statement early.", true},\
  {KIND "-down", find_calls, WHERE, "down", \
   "'%s' comes a statement late.", true}

const rule rules[] = {
    EDITS("barrier", BARRIERS),
    EDITS("wait", WAITS),
    EDITS("commit", COMMITS),
    EDITS("fence", FENCES),
    EDITS("arrival", ARRIVALS),
    {"asked-once", find_values, THESE("mbarrier_wait"), "mbarrier_try_wait",
     "'%s' asks once and does not wait.", true},
    {"groups-left", find_arguments, THESE("__pipeline_wait_prior"), "1 + 1",
     "'%s' leaves one group more under way.", true},
    {"products-left", find_arguments, THESE("wgmma_wait"), "0 + 1",
     "'%s' leaves one group more under way.", true},
    {"id-off", find_arguments, NAMED, "1 + 1", "'%s' is at the next barrier.",
     true},
    {"threads-over", find_arguments, NAMED, "2 + 32",
     "'%s' expects a warp too many.", true},
    {"threads-short", find_arguments, NAMED, "2 - 32",
     "'%s' expects a warp too few.", true},
    {"count-over", find_arguments, THESE("mbarrier_init"), "2 + 1",
     "'%s' expects an arrival too many.", true},
    {"count-short", find_arguments, THESE("mbarrier_init"), "2 - 1",
     "'%s' expects an arrival too few.", true},
    {"bytes-over", find_arguments, THESE("mbarrier_arrive_expecting"), "2 + 16",
     "'%s' expects bytes that nobody brings.", true},
    {"bytes-short", find_arguments, THESE("mbarrier_arrive_expecting"),
     "2 - 16", "'%s' does not expect all bytes.", true},
    {"slot-off", find_arguments, ON_MBARRIERS, "1 + 1",
     "'%s' is at the barrier behind the right one.", true},
    {"phase-off", find_arguments, THESE("mbarrier_wait"), "2 ^ 1",
     "'%s' takes the other parity.", true},
    {"buffer-off", find_values, THESE("slot", "stage"), "(%s ? 0 : 1)",
     "Another buffer is taken than that of '%s'.", false},
    {"atomic-plain", find_atomics, THESE("atomicAdd"), "",
     "'%s' becomes a plain addition.", true},
    {"half-a-warp", find_values, THESE("ALL_LANES"), "(ALL_LANES >> 1)",
     "Lane 31 is missing from the mask.", false},
    {"lane-off", find_arguments, SHUFFLES, "3 * 2", "'%s' asks another lane.",
     false},
    {"statement-left-out", find_actions, NULL, "", "'%s' is left out.", false},
    {"sum-restarted", find_operators, THESE("+="), "=",
     "'%s' forgets the sum so far.", false},
    {"scale-left-out", find_values, SCALES, "1.0f", "'%s' is taken for 1.",
     false},
    {"always", find_conditions, NULL, "true", "'%s' is taken to be true.",
     false},
    {"never", find_conditions, NULL, "false", "'%s' is taken to be false.",
     false},
    {"less", find_operators, THESE("<"), "<=", "'%s' includes the limit.",
     false},
    {"less-or-equal", find_operators, THESE("<="), "<",
     "'%s' excludes the limit.", false},
    {"greater", find_operators, THESE(">"), ">=", "'%s' includes the limit.",
     false},
    {"greater-or-equal", find_operators, THESE(">="), ">",
     "'%s' excludes the limit.", false},
    {"equal", find_operators, THESE("=="), "!=", "'%s' is the other way.",
     false},
    {"and", find_operators, THESE("&&"), "||", "'%s' needs only one of two.",
     false},
    {"or", find_operators, THESE("||"), "&&", "'%s' needs both.", false},
    {"loop-late", find_loops, NULL, "late", "'%s' leaves the first out.",
     false},
    {"loop-short", find_loops, NULL, "short", "'%s' leaves the last out.",
     false},
    {"loop-long", find_loops, NULL, "long", "'%s' goes one too far.", false},
    {"minus", find_operators, THESE("-"), "+", "'%s' adds.", false},
    {"divisor", find_numbers, THESE("/", "%"), "",
     "'%s' has twice that number.", false},
    {"start", find_values, THESE("- INFINITY", "NONE"), "0.0f",
     "0 takes the place of '%s'.", false},
    {"largest", find_values, THESE("fmaxf"), "fminf",
     "The smaller one is taken for the larger one.", false},
    {"array-short", find_arrays, NULL, " - 1", "'%s' is one too short.", false},
    {NULL, NULL, NULL, NULL, NULL, false}};

void rules_apply(source *s, mutants *list) {
  bool *inside = calloc((size_t)s->statement_count + 1, sizeof *inside);
  if (!inside) return;
  mark_kernel(s, inside);
  for (const rule *r = rules; r->name; r++)
    for (int i = 0; i < s->statement_count; i++)
      if (inside[i]) r->find(s, &s->statements[i], r, list);
  free(inside);
}
