/* What it costs to start a kernel. */

#include <math.h>
#include <stdio.h>

#include "common/harness/timing.h"
#include "floor/gpu/times.h"

enum { WARMUP = 100, TIMED = 500, IN_A_ROW = 1000, ROWS = 9 };

/* A row of launches without an event between them; microseconds each. */
static cudaError_t back_to_back(launch_function *launch, samples *us) {
  cudaStream_t stream;
  cudaEvent_t start = NULL, stop = NULL;
  cudaError_t status = cudaStreamCreateWithFlags(&stream,
                                                 cudaStreamNonBlocking);
  if (status) return status;
  status = cudaEventCreate(&start);
  if (!status) status = cudaEventCreate(&stop);
  for (int row = 0; row < ROWS && !status; row++) {
    float ms = 0.0f;
    status = cudaEventRecord(start, stream);
    for (int i = 0; i < IN_A_ROW && !status; i++) status = launch(NULL, stream);
    if (!status) status = cudaEventRecord(stop, stream);
    if (!status) status = cudaEventSynchronize(stop);
    if (!status) status = cudaEventElapsedTime(&ms, start, stop);
    us->us[row] = 1000.0f * ms / IN_A_ROW;
  }
  if (start) cudaEventDestroy(start);
  if (stop) cudaEventDestroy(stop);
  cudaStreamDestroy(stream);
  samples_summarise(us);
  return status;
}

static json_t *summary(const samples *s) {
  return json_pack("{s:o, s:o, s:o, s:i}", "us", floor_real(s->p50), "p90_us",
                   floor_real(s->p90), "std_us", floor_real(s->deviation),
                   "count", s->count);
}

static json_t *arm_json(const arm_timing *timing, const samples *row) {
  return json_pack("{s:o, s:o, s:o}", "graph", summary(&timing->graph),
                   "event", summary(&timing->event), "back_to_back",
                   summary(row));
}

bool floor_measure_launches(json_t *floor, reason *why) {
  launch_function *const arms[] = {empty_launch, floor_full_launch};
  static const char *const names[] = {"empty", "full"};
  const attention_args nothing = {0};
  const timing_options options = {.warmup = WARMUP, .timed = TIMED};
  arm_timing timings[2];
  fprintf(stderr, "measuring launches ...\n");
  bool good = timing_run(arms, 2, &nothing, &options, timings, why);
  json_t *launch = json_object();
  for (int i = 0; i < 2 && good; i++) {
    samples row = samples_new(ROWS);
    good =
        row.us && floor_went_well(back_to_back(arms[i], &row), "launches", why);
    json_object_set_new(launch, names[i], arm_json(&timings[i], &row));
    samples_free(&row);
  }
  for (int i = 0; i < 2; i++) timing_free(&timings[i]);
  json_object_set_new(floor, "launch", launch);
  return good;
}
