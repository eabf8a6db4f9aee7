#include "further/stage18_ring/gpu/link.h"

#include <mpi.h>

#include "common/harness/timing.h"

enum { ROUNDS = 15, REPEATS = 10, PINGS = 1000, COPY_BLOCKS = 64 };
#ifndef MEBIBYTE /* less in a test */
#define MEBIBYTE ((size_t)1 << 20)
#endif
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

/* By an exchange, or else by a kernel that writes to the next rank's memory. */
typedef struct {
  const ring_run *run;
  exchange *x;
  void *own, *peer;
} way;

static void send_some(const way *w, size_t bytes) {
  reason why;
  for (int i = 0; i < REPEATS; i++)
    if (!w->x)
      run_must(w->run, link_copy(w->peer, w->own, bytes, COPY_BLOCKS,
                                 w->run->stream));
    else if (!exchange_begin(w->x, (message){w->own, bytes},
                             (message){(char *)w->own + LARGEST, bytes},
                             &why) ||
             !exchange_end(w->x, &why))
      watchdog_give_up(EXIT_FAILED, why.text);
}

/* The median time of one message, of the slowest rank. */
static double time_of(const way *w, size_t bytes) {
  float us[ROUNDS];
  send_some(w, bytes); /* warm */
  for (int i = 0; i < ROUNDS; i++) {
    run_must(w->run, cudaStreamSynchronize(w->run->stream));
    ranks_meet();
    clock_begin(w->run);
    send_some(w, bytes);
    us[i] = (float)ranks_largest(clock_end(w->run, "the link") / REPEATS);
  }
  return samples_median(us, ROUNDS);
}

static json_t *series(const way *w, double *us) {
  json_t *list = json_array();
  for (int i = 0; i < LINK_SIZES; i++) {
    us[i] = time_of(w, sizes[i]);
    json_array_append_new(
        list, json_pack("{s:I, s:f, s:f}", "message_bytes",
                        (json_int_t)sizes[i], "p50_us", us[i], "gb_a_second",
                        (double)sizes[i] / us[i] / 1000.0));
  }
  return list;
}

/* The memory of the next rank, seen from here; NULL where it cannot be. */
static void *next_ranks(const ring_run *run, void *own) {
  cudaIpcMemHandle_t mine, next;
  const int rank = run->place.rank, ranks = run->place.ranks;
  void *peer = NULL;
  double good = cudaIpcGetMemHandle(&mine, own) == cudaSuccess;
  MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, (rank + ranks - 1) % ranks, 2,
               &next, sizeof next, MPI_BYTE, (rank + 1) % ranks, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  good = good && run->place.of_host == ranks &&
         cudaIpcOpenMemHandle(&peer, next, cudaIpcMemLazyEnablePeerAccess) ==
             cudaSuccess;
  if (ranks_sum(good) == ranks) return peer;
  cudaGetLastError();
  if (peer) cudaIpcCloseMemHandle(peer);
  return NULL;
}

/* Half of a round trip between two ranks, in microseconds; 0: none. */
static double ping(const way *w) {
  const ring_run *run = w->run;
  uint32_t reached = 0;
  if (run->place.ranks != 2) return 0.0;
  run_must(run, cudaMemset(w->own, 0, 256));
  run_must(run, cudaDeviceSynchronize());
  ranks_meet();
  clock_begin(run);
  run_must(run, link_ping(w->peer, w->own, PINGS, run->place.rank == 0,
                          run->stream));
  const double us = clock_end(run, "the link");
  run_must(run, cudaMemcpy(&reached, w->own, sizeof reached,
                           cudaMemcpyDeviceToHost));
  if (ranks_sum(reached == PINGS) < run->place.ranks) return 0.0;
  return ranks_largest(us / PINGS / 2.0);
}

static way begin(const ring_run *run, exchange *x) {
  way w = {.run = run, .x = x};
  run_must(run, cudaMalloc(&w.own, 2 * LARGEST));
  run_must(run, cudaMemset(w.own, 1, 2 * LARGEST));
  return w;
}

link_figures measure_link(ring_run *run, exchange *x, int multiprocessors) {
  const way w = begin(run, x);
  link_figures link;
  link.json = json_pack("{s:i, s:o}", "multiprocessors", multiprocessors,
                        "exchanges", series(&w, link.us));
  cudaFree(w.own);
  return link;
}

double link_us(const link_figures *link, double bytes) {
  int i = 1;
  while (i < LINK_SIZES - 1 && bytes > (double)sizes[i]) i++;
  const double slope = (link->us[i] - link->us[i - 1]) /
                       (double)(sizes[i] - sizes[i - 1]);
  return link->us[i] + slope * (bytes - (double)sizes[i]);
}

json_t *measure_own_kernels(ring_run *run) {
  way w = begin(run, NULL);
  double us[LINK_SIZES];
  json_t *json = json_null();
  w.peer = next_ranks(run, w.own);
  if (w.peer) {
    json = json_pack("{s:i, s:o}", "blocks", COPY_BLOCKS, "copies",
                     series(&w, us));
    const double half = ping(&w);
    if (half > 0.0) json_object_set_new(json, "one_way_us", json_real(half));
    ranks_meet();
    cudaIpcCloseMemHandle(w.peer);
    ranks_meet();
  }
  cudaFree(w.own);
  return json;
}
