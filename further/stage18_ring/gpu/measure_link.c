#include "further/stage18_ring/gpu/measure_link.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/harness/program.h"
#include "common/harness/timing.h"
#include "further/stage18_ring/gpu/link.h"
#include "further/stage18_ring/ranks/ranks.h"

enum { ROUNDS = 15, REPEATS = 10, PINGS = 1000, COPY_BLOCKS = 64 };
#ifndef MEBIBYTE /* less in a test */
#define MEBIBYTE ((size_t)1 << 20)
#endif
#define LARGEST (256 * MEBIBYTE)
static const size_t sizes[LINK_SIZES] = {
    MEBIBYTE / 1024, MEBIBYTE / 16, MEBIBYTE,      8 * MEBIBYTE,
    16 * MEBIBYTE,   32 * MEBIBYTE, 64 * MEBIBYTE, LARGEST};

/* What a round is: `repeats` pieces of work on the stream. */
typedef struct {
  ring_run *run;
  exchange *x;
  void *own, *peer;
  cudaEvent_t begin, end;
} bench_link;

static void must(const ring_run *run, cudaError_t error) {
  reason why;
  if (!error) return;
  refuse(&why, "Rank %d cannot measure the link: %s.", run->place.rank,
         cudaGetErrorString(error));
  watchdog_give_up(EXIT_FAILED, why.text);
}

static void exchange_some(bench_link *b, size_t bytes) {
  reason why;
  for (int i = 0; i < REPEATS; i++)
    if (!exchange_begin(b->x, (message){b->own, bytes},
                        (message){(char *)b->own + LARGEST, bytes}, &why) ||
        !exchange_end(b->x, &why))
      watchdog_give_up(EXIT_FAILED, why.text);
}

static void copy_some(bench_link *b, size_t bytes) {
  for (int i = 0; i < REPEATS; i++)
    must(b->run, link_copy(b->peer, b->own, bytes, COPY_BLOCKS,
                           b->run->stream));
}

/* The median time of one piece of work, of the slowest rank. */
static double time_of(bench_link *b, void (*work)(bench_link *, size_t),
                      size_t bytes) {
  samples s = samples_new(ROUNDS);
  if (!s.us)
    watchdog_give_up(EXIT_IMPOSSIBLE, "Too little memory for the times.");
  work(b, bytes); /* warm */
  for (int i = 0; i < ROUNDS; i++) {
    float milliseconds = 0.0f;
    must(b->run, cudaStreamSynchronize(b->run->stream));
    ranks_meet();
    must(b->run, cudaEventRecord(b->begin, b->run->stream));
    work(b, bytes);
    must(b->run, cudaEventRecord(b->end, b->run->stream));
    watchdog_device("measuring the link");
    must(b->run, cudaEventSynchronize(b->end));
    must(b->run, cudaEventElapsedTime(&milliseconds, b->begin, b->end));
    s.us[i] = (float)ranks_largest(1000.0 * (double)milliseconds / REPEATS);
  }
  samples_summarise(&s);
  const double median = s.p50;
  samples_free(&s);
  return median;
}

static json_t *series(bench_link *b, void (*work)(bench_link *, size_t),
                      double *us) {
  json_t *list = json_array();
  for (int i = 0; i < LINK_SIZES; i++) {
    us[i] = time_of(b, work, sizes[i]);
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

/* Half of a round trip, in microseconds; 0 where there is none. */
static double ping(bench_link *b) {
  uint32_t reached = 0;
  float milliseconds = 0.0f;
  const bool plays = b->run->place.ranks == 2;
  if (!plays) return 0.0;
  must(b->run, cudaMemset(b->own, 0, 256));
  must(b->run, cudaDeviceSynchronize());
  ranks_meet();
  must(b->run, cudaEventRecord(b->begin, b->run->stream));
  must(b->run, link_ping(b->peer, b->own, PINGS, b->run->place.rank == 0,
                         b->run->stream));
  must(b->run, cudaEventRecord(b->end, b->run->stream));
  must(b->run, cudaEventSynchronize(b->end));
  must(b->run, cudaEventElapsedTime(&milliseconds, b->begin, b->end));
  must(b->run, cudaMemcpy(&reached, b->own, sizeof reached,
                          cudaMemcpyDeviceToHost));
  if (ranks_sum(reached == PINGS) < b->run->place.ranks) return 0.0;
  return ranks_largest(1000.0 * (double)milliseconds / PINGS / 2.0);
}

static bench_link begin(ring_run *run, exchange *x) {
  bench_link b = {.run = run, .x = x};
  must(run, cudaMalloc(&b.own, 2 * LARGEST));
  must(run, cudaMemset(b.own, 1, 2 * LARGEST));
  must(run, cudaEventCreate(&b.begin));
  must(run, cudaEventCreate(&b.end));
  return b;
}

static void end(bench_link *b) {
  cudaEventDestroy(b->begin);
  cudaEventDestroy(b->end);
  cudaFree(b->own);
}

link_figures measure_link(ring_run *run, exchange *x) {
  bench_link b = begin(run, x);
  link_figures link;
  json_t *exchanges = series(&b, exchange_some, link.us);
  link.json = json_pack("{s:i, s:o}", "multiprocessors",
                        exchange_multiprocessors(x), "exchanges", exchanges);
  end(&b);
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
  bench_link b = begin(run, NULL);
  double us[LINK_SIZES];
  json_t *json = json_null();
  b.peer = next_ranks(run, b.own);
  if (b.peer) {
    json = json_pack("{s:i, s:o}", "blocks", COPY_BLOCKS, "copies",
                     series(&b, copy_some, us));
    const double half = ping(&b);
    if (half > 0.0) json_object_set_new(json, "one_way_us", json_real(half));
    ranks_meet();
    cudaIpcCloseMemHandle(b.peer);
    ranks_meet();
  }
  end(&b);
  return json;
}
