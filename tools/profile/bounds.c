#include "tools/profile/bounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/harness/problem/shape_text.h"
#include "common/harness/record/results.h"

enum { STALLS_SHOWN = 3 };

/* One HMMA.16816 of a warp: 16 x 8 x 16 multiplications and additions. */
static const double HMMA_FLOPS = 2.0 * 16 * 8 * 16;
static const double SECTOR_BYTES = 32;

static const struct {
  const char *key, *words;
} stalls[] = {{"stall_shared", "shared memory or a slow function"},
              {"stall_global", "global memory"},
              {"stall_barrier", "a barrier"},
              {"stall_wait", "a fixed delay"},
              {"stall_mio", "room in the shared-memory queue"},
              {"stall_lg", "room in the global-memory queue"},
              {"stall_math", "a busy pipe"},
              {"stall_not_selected", "its turn"},
              {"stall_no_instruction", "instructions"},
              {"stall_branch", "a branch"},
              {"stall_dispatch", "the dispatcher"},
              {"stall_membar", "a fence"},
              {"stall_sleep", "the end of a sleep"},
              {"stall_constant", "constants"},
              {"stall_drain", "its stores"},
              {"stall_wgmma", "a warp group"},
              {"stall_misc", "something unnamed"}};
enum { STALLS = sizeof stalls / sizeof *stalls };

static double figure(const json_t *counters, const char *key) {
  return results_number(counters, key);
}

/* What follows from the counters of one shape; NAN: not recorded. */
typedef struct {
  double seconds, useful_flops, tensor_flops, tensor_busy_flops, tensor_peak,
      dram_bytes, l2_bytes, dram_ceiling, l2_ceiling;
} roofline;

/* NAN where the name is no shape. */
static double useful_flops(const char *name) {
  attention_shape shape;
  reason why;
  return attention_shape_parse(&shape, name, &why)
             ? attention_shape_flops(&shape)
             : NAN;
}

static roofline roofline_of(const char *shape, const json_t *c) {
  roofline r = {.seconds = 1e-9 * figure(c, "duration_ns"),
                .useful_flops = useful_flops(shape),
                .tensor_flops = HMMA_FLOPS * figure(c, "tensor_instructions"),
                .tensor_peak = figure(c, "tensor_ops_per_cycle_peak") *
                               figure(c, "sm_hz"),
                .dram_bytes = figure(c, "dram_read_bytes") +
                              figure(c, "dram_write_bytes"),
                .l2_bytes = SECTOR_BYTES * figure(c, "l2_sectors"),
                .dram_ceiling = figure(c, "dram_bytes_per_cycle_peak") *
                                figure(c, "dram_hz"),
                .l2_ceiling = SECTOR_BYTES * figure(c, "l2_hz") *
                              figure(c, "l2_sectors_per_cycle_peak")};
  if (figure(c, "tensor_ops") >= 0) r.tensor_flops = figure(c, "tensor_ops");
  /* What these instructions would reach if the pipe were never idle. */
  r.tensor_busy_flops =
      r.tensor_flops / r.seconds / (figure(c, "tensor_pipe_pct") / 100);
  if (!(r.tensor_flops > 0)) r.tensor_busy_flops = NAN;
  return r;
}

/* The words; empty if what was recorded decides nothing. */
static void bound_by(const json_t *c, char *words, size_t size) {
  const double tensor = figure(c, "tensor_pipe_pct");
  const double dram = figure(c, "dram_pct");
  const double shared = figure(c, "shared_pipe_pct");
  const bool known = !isnan(tensor) && !isnan(dram) && !isnan(shared);
  snprintf(words, size, "%s%s%s", dram > 70 ? " memory-bound" : "",
           tensor >= 50 && dram < 50 ? " compute-bound" : "",
           shared > 70 ? " shared-memory-bound" : "");
  if (!*words && known) snprintf(words, size, " latency-bound");
  if (*words && !known) strncat(words, " as far as recorded", size / 2);
}

static void print_percent(const char *before, const json_t *c,
                          const char *key) {
  const double value = figure(c, key);
  if (isnan(value))
    printf("%s -", before);
  else
    printf("%s %.1f %%", before, value);
}

static void print_stalls(const json_t *c) {
  bool shown[STALLS] = {false};
  printf("  waiting warps an issue:");
  for (int n = 0; n < STALLS_SHOWN; n++) {
    int most = -1;
    for (int i = 0; i < STALLS; i++)
      if (!shown[i] && figure(c, stalls[i].key) > 0 &&
          (most < 0 || figure(c, stalls[i].key) > figure(c, stalls[most].key)))
        most = i;
    if (most < 0) break;
    shown[most] = true;
    printf("%s\n    %5.2f for %s", n ? "," : "", figure(c, stalls[most].key),
           stalls[most].words);
  }
  printf("\n");
}

/* "  label  rate of ceiling unit, note" where they are known. */
static void print_rate(const char *label, double rate, double ceiling,
                       const char *unit) {
  if (isnan(rate)) return;
  printf("  %-13s %8.2f %s", label, rate, unit);
  if (!isnan(ceiling)) printf(" of %.1f", ceiling);
  printf("\n");
}

static void print_shape(const char *shape, const json_t *c) {
  const roofline r = roofline_of(shape, c);
  printf("\n%s: %.2f us under the profiler\n ", shape, 1e6 * r.seconds);
  print_percent(" tensor pipe", c, "tensor_pipe_pct");
  print_percent(", DRAM", c, "dram_pct");
  print_percent(", L2", c, "l2_pct");
  print_percent(", shared memory", c, "shared_pipe_pct");
  printf(" of peak\n ");
  print_percent(" issue slots used", c, "issue_active_pct");
  print_percent(", achieved occupancy", c, "warps_active_pct");
  printf("\n");
  print_stalls(c);
  print_rate("useful", 1e-12 * r.useful_flops / r.seconds, NAN, "TFLOP/s");
  print_rate("tensor cores", 1e-12 * r.tensor_flops / r.seconds,
             1e-12 * r.tensor_busy_flops, "TFLOP/s");
  print_rate("DRAM", 1e-9 * r.dram_bytes / r.seconds, 1e-9 * r.dram_ceiling,
             "GB/s");
  print_rate("L2", 1e-9 * r.l2_bytes / r.seconds, 1e-9 * r.l2_ceiling, "GB/s");
  if (r.dram_bytes > 0)
    printf("  intensity     %8.1f FLOP a DRAM byte\n",
           r.useful_flops / r.dram_bytes);
  char words[96];
  bound_by(c, words, sizeof words);
  printf("  verdict:%s\n",
         *words ? words : " none: it lacks tensor_pipe_pct, dram_pct or "
                          "shared_pipe_pct");
}

static void add(json_t *to, const char *key, double value) {
  if (!isfinite(value)) return;
  const bool whole = value == floor(value) && fabs(value) < 0x1p53;
  json_object_set_new(to, key, whole ? json_integer((json_int_t)value)
                                     : json_real(value));
}

static json_t *roofline_json(const char *shape, const json_t *c) {
  const roofline r = roofline_of(shape, c);
  json_t *j = json_object();
  char words[96];
  bound_by(c, words, sizeof words);
  if (*words) json_object_set_new(j, "verdict", json_string(words + 1));
  add(j, "useful_flops", r.useful_flops);
  add(j, "tensor_flops", r.tensor_flops);
  add(j, "useful_tflop_s", 1e-12 * r.useful_flops / r.seconds);
  add(j, "tensor_tflop_s", 1e-12 * r.tensor_flops / r.seconds);
  add(j, "tensor_ceiling_tflop_s", 1e-12 * r.tensor_busy_flops);
  add(j, "tensor_peak_tflop_s", 1e-12 * r.tensor_peak);
  add(j, "dram_bytes", r.dram_bytes);
  add(j, "dram_gb_s", 1e-9 * r.dram_bytes / r.seconds);
  add(j, "dram_ceiling_gb_s", 1e-9 * r.dram_ceiling);
  add(j, "l2_bytes", r.l2_bytes);
  add(j, "l2_gb_s", 1e-9 * r.l2_bytes / r.seconds);
  add(j, "l2_ceiling_gb_s", 1e-9 * r.l2_ceiling);
  add(j, "flop_per_dram_byte", r.useful_flops / r.dram_bytes);
  add(j, "flop_per_l2_byte", r.useful_flops / r.l2_bytes);
  return j;
}

json_t *bounds_json(const json_t *profile) {
  json_t *section = json_object();
  const char *shape;
  json_t *counters;
  json_object_foreach(json_object_get(profile, "ncu"), shape, counters)
    json_object_set_new(section, shape, roofline_json(shape, counters));
  return section;
}

void bounds_print(const json_t *profile) {
  const char *shape;
  json_t *counters;
  printf("%s %s, kernel %.12s, %s\n",
         results_text(profile, "build_meta/stage"),
         results_text(profile, "build_meta/arm"),
         results_text(profile, "build_meta/kernel_hash"),
         results_text(profile, "build_meta/profiler"));
  json_object_foreach(json_object_get(profile, "ncu"), shape, counters)
    print_shape(shape, counters);
}
