#include "floor/gpu/times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PAUSE_US = 20000, BATCHES_MAX = 4096 };

typedef struct {
  cudaStream_t stream;
  cudaEvent_t event[2 * BATCH];
} clockwork;

static clockwork open_clockwork(void) {
  clockwork c;
  floor_must(cudaStreamCreateWithFlags(&c.stream, cudaStreamNonBlocking));
  for (int i = 0; i < 2 * BATCH; i++) floor_must(cudaEventCreate(&c.event[i]));
  return c;
}

static void close_clockwork(const clockwork *c) {
  for (int i = 0; i < 2 * BATCH; i++) cudaEventDestroy(c->event[i]);
  cudaStreamDestroy(c->stream);
}

/* `count` launches one behind the other, each between two events, and each
 * with a stopwatch of its own. */
static void launches(const clockwork *c, floor_kernel *kernel,
                     const floor_call *call, int count, float *us) {
  for (int i = 0; i < count; i++) {
    floor_call mine = *call;
    if (mine.span) mine.span += i;
    floor_must(cudaEventRecord(c->event[2 * i], c->stream));
    floor_must(kernel(&mine, c->stream));
    floor_must(cudaEventRecord(c->event[2 * i + 1], c->stream));
  }
  floor_must(cudaStreamSynchronize(c->stream));
  for (int i = 0; i < count; i++) {
    floor_must(cudaEventElapsedTime(&us[i], c->event[2 * i],
                                    c->event[2 * i + 1]));
    us[i] *= 1000.0f;
  }
}

static void read_spans(const floor_call *call, int count, floor_times *times) {
  floor_span spans[BATCH];
  float cycles[BATCH], ns[BATCH];
  times->cycles = times->ns = NAN;
  if (!call->span) return;
  floor_must(cudaMemcpy(spans, call->span, (size_t)count * sizeof *spans,
                        cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; i++) {
    cycles[i] = (float)spans[i].cycles;
    ns[i] = (float)spans[i].ns;
  }
  times->cycles = samples_median(cycles, count);
  times->ns = samples_median(ns, count);
}

static void widen(floor_times *times, double us) {
  times->low = fmin(times->low, us);
  times->high = fmax(times->high, us);
}

static void bursts(const clockwork *c, floor_kernel *kernel,
                   const floor_call *call, floor_times *times) {
  for (int burst = 0; burst < BURSTS; burst++) {
    float warm, *us = times->us.us + burst * BURST_LAUNCHES;
    usleep(PAUSE_US);
    launches(c, kernel, call, 1, &warm);
    launches(c, kernel, call, BURST_LAUNCHES, us);
    widen(times, samples_median(us, BURST_LAUNCHES));
  }
  read_spans(call, BURST_LAUNCHES, times);
}

/* Fills times->us with the medians of the batches of the last third. */
static void sustained(const clockwork *c, floor_kernel *kernel,
                      const floor_call *call, double seconds,
                      floor_times *times) {
  const double begin = seconds_now();
  int count = 0;
  while (seconds_now() < begin + seconds && count < BATCHES_MAX) {
    float us[BATCH];
    launches(c, kernel, call, BATCH, us);
    if (seconds_now() < begin + seconds * 2.0 / 3.0) continue;
    times->us.us[count] = (float)samples_median(us, BATCH);
    widen(times, times->us.us[count++]);
  }
  times->us.count = count;
  read_spans(call, BATCH, times);
}

void floor_measuring(const char *name) {
  floor_at(name, EXIT_IMPOSSIBLE);
  fprintf(stderr, "measuring %s ...\n", name);
}

samples floor_samples(int count) {
  samples s = samples_new(count);
  if (!s.us) floor_ends(EXIT_IMPOSSIBLE, "Too little memory for the times.");
  return s;
}

floor_times floor_time(floor_kernel *kernel, const floor_call *call,
                       double seconds) {
  floor_times times = {
      .low = INFINITY, .high = -INFINITY,
      .us = floor_samples(seconds > 0 ? BATCHES_MAX : BURSTS * BURST_LAUNCHES)};
  const clockwork c = open_clockwork();
  clocks_begin();
  if (seconds > 0)
    sustained(&c, kernel, call, seconds, &times);
  else
    bursts(&c, kernel, call, &times);
  clocks_end(&times.clocks);
  close_clockwork(&c);
  samples_summarise(&times.us);
  return times;
}

void floor_calibrate(floor_kernel *kernel, floor_call *call, double us) {
  const clockwork c = open_clockwork();
  float took = 0.0f;
  call->rounds = 16;
  for (int tries = 0; tries < 12 && took < 0.2 * us; tries++) {
    if (tries > 0) call->rounds *= 4;
    launches(&c, kernel, call, 1, &took); /* the first one is cold */
    launches(&c, kernel, call, 1, &took);
  }
  close_clockwork(&c);
  const double wanted = call->rounds * us / fmax(took, 0.1);
  call->rounds = wanted < 1 ? 1 : wanted > 1e8 ? 100000000 : (int)wanted;
}

/* Of the multiprocessors while it ran, MHz. */
static double clock_of(const floor_times *times) {
  return 1000.0 * times->cycles / times->ns;
}

json_t *floor_real(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *floor_times_json(floor_times *times) {
  json_t *json = json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o}", "us", floor_real(times->us.p50),
      "low_us", floor_real(times->low), "high_us", floor_real(times->high),
      "clock_mhz", floor_real(clock_of(times)), "clocks",
      clocks_json(&times->clocks), "samples", samples_json(&times->us));
  free(times->us.us); /* what is summarised stays */
  return json;
}

void floor_add_rate(json_t *json, const floor_times *times, double work,
                    const char *unit, int multiprocessors) {
  const double tera = work / times->us.p50 * 1e-6;
  json_object_update_new(
      json, json_pack("{s:s, s:o, s:o, s:o, s:o}", "unit", unit, "tera_s",
                      floor_real(tera), "low_tera_s",
                      floor_real(work / times->high * 1e-6), "high_tera_s",
                      floor_real(work / times->low * 1e-6), "per_cycle_sm",
                      floor_real(tera * 1e6 / clock_of(times) /
                                 multiprocessors)));
}
