#include "floor/gpu/times.h"

#include <math.h>
#include <stdio.h>

enum { WARMUP = 100, TIMED = 500, IN_A_ROW = 1000, ROWS = 9 };

/* A row of launches without an event between them; microseconds each. */
static samples back_to_back(launch_function *launch) {
  samples us = floor_samples(ROWS);
  cudaStream_t stream;
  cudaEvent_t start, stop;
  floor_must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  floor_must(cudaEventCreate(&start));
  floor_must(cudaEventCreate(&stop));
  for (int row = 0; row < ROWS; row++) {
    float ms = 0.0f;
    floor_must(cudaEventRecord(start, stream));
    for (int i = 0; i < IN_A_ROW; i++) floor_must(launch(NULL, stream));
    floor_must(cudaEventRecord(stop, stream));
    floor_must(cudaEventSynchronize(stop));
    floor_must(cudaEventElapsedTime(&ms, start, stop));
    us.us[row] = 1000.0f * ms / IN_A_ROW;
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaStreamDestroy(stream);
  samples_summarise(&us);
  return us;
}

static json_t *summary(const samples *s) {
  return json_pack("{s:o, s:o, s:o, s:i}", "us", floor_real(s->p50), "p90_us",
                   floor_real(s->p90), "std_us", floor_real(s->deviation),
                   "count", s->count);
}

/* The empty kernel in a graph, back to back, between two events, and one that
 * fills the GPU. */
static void measure_launches(json_t *floor) {
  launch_function *const arms[] = {empty_launch, floor_full_launch};
  static const char *const names[] = {"empty", "full"};
  const attention_args nothing = {0};
  const timing_options options = {.warmup = WARMUP, .timed = TIMED};
  arm_timing timings[2];
  reason why;
  floor_measuring("launches");
  if (!timing_run(arms, 2, &nothing, &options, timings, &why))
    floor_ends(EXIT_IMPOSSIBLE, why.text);
  json_t *launch = json_object();
  for (int i = 0; i < 2; i++) {
    samples row = back_to_back(arms[i]);
    json_object_set_new(
        launch, names[i],
        json_pack("{s:o, s:o, s:o}", "graph", summary(&timings[i].graph),
                  "event", summary(&timings[i].event), "back_to_back",
                  summary(&row)));
    samples_free(&row);
    timing_free(&timings[i]);
  }
  json_object_set_new(floor, "launch", launch);
}

enum { RATE_US = 1000, WAIT_US = 300 };

/* Scores alone, products alone, and both, in one kernel: product_share is how
 * many rounds of products there are to each round of scores. */
static void measure_beside(const device_info *device, int product_share,
                           const char *name, json_t *beside) {
  static const char *const parts[] = {"scores", "products", "both"};
  const floor_item *item = &floor_beside_item;
  floor_run run = floor_run_new(item, device->multiprocessors, item->inputs);
  json_t *json = json_object();
  floor_at(name);
  floor_calibrate(item->kernel, &run.call, RATE_US);
  for (int part = 0; part < 3; part++) {
    floor_call call = run.call;
    call.count = part == 0 ? 0 : (int64_t)product_share * call.rounds;
    if (part == 1) call.rounds = 0;
    floor_times times = floor_time(item->kernel, &call, 0);
    json_object_set_new(json, parts[part], floor_times_json(&times));
  }
  const double scores =
      item->work * device->multiprocessors * run.call.rounds;
  json_object_set_new(json, "scores_in_all", json_real(scores));
  json_object_set_new(json, "flop_per_score",
                      json_real(product_share * BESIDE_REPEATS * 2.0 * 64 *
                                128 * PRODUCT_DEPTH / item->work));
  json_object_set_new(beside, name, json);
  floor_run_free(&run);
}

static bool left_out(json_t *floor, const floor_item *item) {
  if (item->kernel) return false;
  json_array_append_new(json_object_get(floor, "left_out"),
                        json_string(item->name));
  fprintf(stderr, "%s is left out: it needs compute capability 9.0 "
          "(ARCH=90a).\n", item->name);
  return true;
}

/* A rate; or of a wait cycles and nanoseconds of one step. */
static void measure_item(const floor_item *item, const device_info *device,
                         json_t *floor) {
  const bool is_wait = item->blocks == 0;
  const int blocks = is_wait ? 1 : item->blocks * device->multiprocessors;
  floor_measuring(item->name);
  if (left_out(floor, item)) return;
  floor_run run = floor_run_new(item, blocks, item->inputs);
  floor_calibrate(item->kernel, &run.call, is_wait ? WAIT_US : RATE_US);
  floor_times times = floor_time(item->kernel, &run.call, item->seconds);
  const int rounds = run.call.rounds;
  const double steps = item->work * rounds;
  json_t *json = floor_times_json(&times), *more;
  if (is_wait) {
    more = json_pack("{s:o, s:o, s:o, s:o, s:i}", "cycles",
                     floor_real(times.cycles / steps), "ns",
                     floor_real(times.ns / steps), "low_ns",
                     floor_real(1000 * times.low / steps), "high_ns",
                     floor_real(1000 * times.high / steps), "rounds", rounds);
  } else {
    floor_add_rate(json, &times, item->work * blocks * rounds, item->unit,
                   device->multiprocessors);
    more = json_pack("{s:i, s:i}", "rounds", rounds, "blocks", blocks);
  }
  json_object_update_new(json, more);
  json_object_set_new(json_object_get(floor, is_wait ? "waits" : "rates"),
                      item->name, json);
  floor_run_free(&run);
}

void floor_measure(json_t *floor, const device_info *device) {
  json_t *beside = json_object();
  json_object_update_new(floor, json_pack("{s:[], s:{}, s:{}, s:o}", "left_out",
                                          "rates", "waits", "beside", beside));
  measure_launches(floor);
  floor_measure_memory(floor, device);
  for (int i = 0; i < floor_wait_count; i++)
    measure_item(&floor_waits[i], device, floor);
  if (!left_out(floor, &floor_beside_item)) {
    measure_beside(device, 1, "d64", beside);
    measure_beside(device, 2, "d128", beside);
  }
  for (int i = 0; i < floor_rate_count; i++)
    measure_item(&floor_rates[i], device, floor);
}

void floor_watch(void) {}
int floor_watched(void) { return 0; }
