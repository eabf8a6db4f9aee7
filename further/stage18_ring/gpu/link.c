#include "further/stage18_ring/gpu/link.h"

#include "common/harness/timing.h"

enum { ROUNDS = 15, REPEATS = 10 };
#define MEBIBYTE ((size_t)1 << 20)
#define LARGEST (256 * MEBIBYTE)
static const size_t sizes[LINK_SIZES] = {
    MEBIBYTE / 1024, MEBIBYTE / 16, MEBIBYTE,      8 * MEBIBYTE,
    16 * MEBIBYTE,   32 * MEBIBYTE, 64 * MEBIBYTE, LARGEST};

static cudaEvent_t events[2];

void clock_begin(const ring_run *run) {
  for (int i = 0; i < 2 && !events[i]; i++)
    run_must(run, cudaEventCreate(&events[i]));
  run_must(run, cudaEventRecord(events[0], run->stream));
}

double clock_end(const ring_run *run, const char *what) {
  float milliseconds = 0.0f;
  run_must(run, cudaEventRecord(events[1], run->stream));
  watchdog_device("timing %s", what);
  run_must(run, cudaEventSynchronize(events[1]));
  run_must(run, cudaEventElapsedTime(&milliseconds, events[0], events[1]));
  return 1000.0 * (double)milliseconds;
}

static void send_some(exchange *x, char *memory, size_t bytes) {
  for (int i = 0; i < REPEATS; i++) {
    exchange_begin(x, (message){memory, bytes},
                   (message){memory + LARGEST, bytes});
    exchange_end(x);
  }
}

/* The median time of one message, of the slowest rank. */
static double time_of(const ring_run *run, exchange *x, char *memory,
                      size_t bytes) {
  float us[ROUNDS];
  send_some(x, memory, bytes); /* warm */
  for (int i = 0; i < ROUNDS; i++) {
    run_must(run, cudaStreamSynchronize(run->stream));
    ranks_meet();
    clock_begin(run);
    send_some(x, memory, bytes);
    us[i] = (float)ranks_largest(clock_end(run, "the link") / REPEATS);
  }
  return samples_median(us, ROUNDS);
}

link_figures measure_link(ring_run *run, exchange *x, int multiprocessors) {
  link_figures link;
  void *memory = NULL;
  json_t *list = json_array();
  run_must(run, cudaMalloc(&memory, 2 * LARGEST));
  run_must(run, cudaMemset(memory, 1, 2 * LARGEST));
  for (int i = 0; i < LINK_SIZES; i++) {
    link.us[i] = time_of(run, x, memory, sizes[i]);
    json_array_append_new(
        list, json_pack("{s:I, s:f, s:f}", "message_bytes",
                        (json_int_t)sizes[i], "p50_us", link.us[i],
                        "gb_a_second",
                        (double)sizes[i] / link.us[i] / 1000.0));
  }
  cudaFree(memory);
  link.gb_a_second = (double)LARGEST / link.us[LINK_SIZES - 1] / 1000.0;
  link.json = json_pack("{s:i, s:o}", "multiprocessors", multiprocessors,
                        "exchanges", list);
  return link;
}

double link_us(const link_figures *link, double bytes) {
  int i = 1;
  while (i < LINK_SIZES - 1 && bytes > (double)sizes[i]) i++;
  const double slope = (link->us[i] - link->us[i - 1]) /
                       (double)(sizes[i] - sizes[i - 1]);
  return link->us[i] + slope * (bytes - (double)sizes[i]);
}
