#pragma once

#include "common/harness/object.h"
#include "common/harness/problem.h"

/* Times of the same thing, in microseconds, in the order they were taken. */
typedef struct {
  int count;
  float *us;
  double p50, p90, p99, mean, deviation;
} samples;

/* Room for `count` samples; `us` is NULL if memory is short. */
samples samples_new(int count);
void samples_free(samples *s);

/* Fills p50 to deviation from us[0..count-1]. A percentile is the smallest
 * sample that at least that share of the samples does not exceed. */
void samples_summarise(samples *s);

/* Of one time or more; NAN if memory is short. */
double samples_median(const float *us, int count);

/* As {least_ns, step_ns, steps_above}: the smallest, the largest step that all
 * are in, as a GPU's clock ticks, and by how many each is above. */
json_t *samples_json(const samples *s);

/* The noise of a comparison: the largest difference between the medians of
 * two identical arms over `batches` equal, consecutive parts. */
double samples_noise(const samples *a, const samples *b, int batches);

/* GPU only: gpu/timing.c. */

typedef struct {
  int warmup, timed;  /* launches */
  bool flush_l2;      /* overwrite the L2 cache before each launch */
} timing_options;

typedef struct {
  samples event; /* one launch between two CUDA events */
  samples graph; /* one launch of a replayed CUDA graph of GRAPH_LAUNCHES */
} arm_timing;

enum { GRAPH_LAUNCHES = 20, NOISE_BATCHES = 10 };

/* Times all arms in turn: each round launches every arm once, and the next
 * round starts with the next arm. timings[i] belongs to arms[i]. The arguments
 * must have passed the gates. */
bool timing_run(launch_function *const *arms, int arm_count,
                const attention_args *args, const timing_options *options,
                arm_timing *timings, reason *why);
void timing_free(arm_timing *timing);

/* The kernel that does nothing (common/device/interface/empty_kernel.cu). */
cudaError_t empty_launch(const attention_args *args, cudaStream_t stream);

/* In which order `count` arms are timed in round `round`: order[0] to
 * order[count - 1] become 0 to count - 1, shuffled, the same whenever this is
 * asked. An arm must not always follow the same other one: near its power cap
 * a GPU gives a kernel that comes after a frugal one a faster clock. */
void order_of_round(int round, int *order, int count);

/* What NVML saw of the GPU while the timings were taken. GPU only. */
typedef struct {
  int count;                      /* samples; 0 where NVML cannot be read */
  int clock_min, clock_max;       /* MHz, of the multiprocessors */
  double clock_mean;              /* MHz */
  double power_mean, power_max;   /* W */
  unsigned long long throttle;    /* every reason seen, NVML's bits */
} clock_log;

/* Samples every 10 ms on a thread of its own, from begin to end. */
void clocks_begin(void);
void clocks_end(clock_log *log);

/* The reasons in words ("power cap, thermal"), or "none". */
const char *clocks_throttle_text(unsigned long long reasons, char *text,
                                 int size);

/* Null where there is no sample. */
json_t *clocks_json(const clock_log *log);

enum { ARMS_MAX = 32 };

/* Times the kernels at each shape of the list, prints a table, and adds one
 * entry for each shape to perf[i], the perf section of objects[i]. Launches as
 * settings.json says, or `iters`, if not 0, in place of the timed ones. Call it
 * only on a GPU and with kernels that passed their gates. */
int bench_run(const stage_object *const *objects, int object_count,
              const case_list *list, int iters, bool flush_l2, json_t **perf,
              reason *why);
