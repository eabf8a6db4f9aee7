#include "floor/gpu/times.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_US = 20000, BATCHES_MAX = 4096 };

typedef struct {
  cudaStream_t stream;
  cudaEvent_t event[2 * BATCH];
} clockwork;

static cudaError_t open_clockwork(clockwork *c) {
  *c = (clockwork){0};
  cudaError_t status =
      cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking);
  for (int i = 0; i < 2 * BATCH && !status; i++)
    status = cudaEventCreate(&c->event[i]);
  return status;
}

static void close_clockwork(clockwork *c) {
  for (int i = 0; i < 2 * BATCH; i++)
    if (c->event[i]) cudaEventDestroy(c->event[i]);
  if (c->stream) cudaStreamDestroy(c->stream);
}

/* `count` launches one behind the other, each between two events, and each
 * with a stopwatch of its own. */
static cudaError_t launches(const clockwork *c, floor_kernel *kernel,
                            const floor_call *call, int count, float *us) {
  cudaError_t status = cudaSuccess;
  for (int i = 0; i < count && !status; i++) {
    floor_call mine = *call;
    if (mine.span) mine.span += i;
    status = cudaEventRecord(c->event[2 * i], c->stream);
    if (!status) status = kernel(&mine, c->stream);
    if (!status) status = cudaEventRecord(c->event[2 * i + 1], c->stream);
  }
  if (!status) status = cudaStreamSynchronize(c->stream);
  for (int i = 0; i < count && !status; i++) {
    status = cudaEventElapsedTime(&us[i], c->event[2 * i],
                                  c->event[2 * i + 1]);
    us[i] *= 1000.0f;
  }
  return status;
}

static cudaError_t read_spans(const floor_call *call, int count,
                              floor_times *times) {
  floor_span spans[BATCH];
  float cycles[BATCH], ns[BATCH];
  times->cycles = times->ns = NAN;
  if (!call->span) return cudaSuccess;
  const cudaError_t status =
      cudaMemcpy(spans, call->span, (size_t)count * sizeof *spans,
                 cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; i++) {
    cycles[i] = (float)spans[i].cycles;
    ns[i] = (float)spans[i].ns;
  }
  times->cycles = samples_median(cycles, count);
  times->ns = samples_median(ns, count);
  return status;
}

static void widen(floor_times *times, double us) {
  times->low = fmin(times->low, us);
  times->high = fmax(times->high, us);
}

static cudaError_t bursts(const clockwork *c, floor_kernel *kernel,
                          const floor_call *call, floor_times *times) {
  cudaError_t status = cudaSuccess;
  for (int burst = 0; burst < BURSTS && !status; burst++) {
    float warm, *us = times->us.us + burst * BURST_LAUNCHES;
    usleep(PAUSE_US);
    status = launches(c, kernel, call, 1, &warm);
    if (!status) status = launches(c, kernel, call, BURST_LAUNCHES, us);
    widen(times, samples_median(us, BURST_LAUNCHES));
  }
  return status ? status : read_spans(call, BURST_LAUNCHES, times);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Fills times->us with the medians of the batches of the last third. */
static cudaError_t sustained(const clockwork *c, floor_kernel *kernel,
                             const floor_call *call, double seconds,
                             floor_times *times) {
  cudaError_t status = cudaSuccess;
  const double begin = now();
  int count = 0;
  while (now() < begin + seconds && !status && count < BATCHES_MAX) {
    float us[BATCH];
    status = launches(c, kernel, call, BATCH, us);
    if (now() < begin + seconds * 2.0 / 3.0) continue;
    times->us.us[count] = (float)samples_median(us, BATCH);
    widen(times, times->us.us[count++]);
  }
  times->us.count = count;
  return status ? status : read_spans(call, BATCH, times);
}

bool floor_time(floor_kernel *kernel, const floor_call *call, double seconds,
                floor_times *times, const char *name, reason *why) {
  *times = (floor_times){
      .low = INFINITY, .high = -INFINITY,
      .us = samples_new(seconds > 0 ? BATCHES_MAX : BURSTS * BURST_LAUNCHES)};
  clockwork c;
  cudaError_t status =
      times->us.us ? open_clockwork(&c) : cudaErrorMemoryAllocation;
  if (!times->us.us) return floor_went_well(status, name, why);
  clocks_begin();
  if (!status)
    status = seconds > 0 ? sustained(&c, kernel, call, seconds, times)
                         : bursts(&c, kernel, call, times);
  clocks_end(&times->clocks);
  close_clockwork(&c);
  samples_summarise(&times->us);
  return floor_went_well(status, name, why);
}

void floor_times_free(floor_times *times) { samples_free(&times->us); }

bool floor_calibrate(floor_kernel *kernel, floor_call *call, double us,
                     const char *name, reason *why) {
  clockwork c;
  cudaError_t status = open_clockwork(&c);
  float took = 0.0f;
  call->rounds = 16;
  for (int tries = 0; tries < 12 && !status && took < 0.2 * us; tries++) {
    if (tries > 0) call->rounds *= 4;
    status = launches(&c, kernel, call, 1, &took); /* the first one is cold */
    if (!status) status = launches(&c, kernel, call, 1, &took);
  }
  close_clockwork(&c);
  const double wanted = call->rounds * us / fmax(took, 0.1);
  call->rounds = wanted < 1 ? 1 : wanted > 1e8 ? 100000000 : (int)wanted;
  return floor_went_well(status, name, why);
}

/* Of the multiprocessors while it ran, MHz. */
static double clock_of(const floor_times *times) {
  return 1000.0 * times->cycles / times->ns;
}

json_t *floor_real(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *floor_times_json(const floor_times *times) {
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "us",
                   floor_real(times->us.p50), "low_us", floor_real(times->low),
                   "high_us", floor_real(times->high), "clock_mhz",
                   floor_real(clock_of(times)), "clocks",
                   clocks_json(&times->clocks), "samples_us",
                   samples_json(&times->us));
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
