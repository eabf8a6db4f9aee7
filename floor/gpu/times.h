#pragma once

#include "common/harness/timing.h"
#include "floor/run.h"

typedef struct {
  samples us;           /* each launch, or the median of each batch */
  double low, high;     /* us: the extremes of the repeats' medians */
  double cycles, ns;    /* of block 0's loop; medians, NAN if not taken */
  clock_log clocks;     /* as NVML saw them */
} floor_times;

enum { BURSTS = 5, BURST_LAUNCHES = 7, BATCH = 16 };

/* Says so on stderr, and is floor_at. */
void floor_measuring(const char *name);

/* Room for so many samples, or the end. */
samples floor_samples(int count);

/* Five bursts of seven launches, each after a pause and a launch that does not
 * count; or, where seconds > 0, launches without a pause for that long, of
 * which the last third counts. call->span has room for SPANS. */
floor_times floor_time(floor_kernel *kernel, const floor_call *call,
                       double seconds);

/* Sets call->rounds so that a launch takes about that long. */
void floor_calibrate(floor_kernel *kernel, floor_call *call, double us);

/* {us, low_us, high_us, clock_mhz, clocks, samples}, and the end of the
 * samples; new reference. */
json_t *floor_times_json(floor_times *times);

/* Adds `unit`, tera_s, its extremes, and per_cycle_sm: `work` a launch. */
void floor_add_rate(json_t *json, const floor_times *times, double work,
                    const char *unit, int multiprocessors);

json_t *floor_real(double value);

/* rates: dram_read, dram_copy, l2_read; waits: l2_hit, dram_near, dram_far. */
void floor_measure_memory(json_t *floor, const device_info *device);
