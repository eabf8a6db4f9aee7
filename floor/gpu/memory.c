#include <stdio.h>
#include <stdlib.h>

#include "floor/gpu/times.h"

enum { MIB = 1 << 20, L2_BYTES = 20 * MIB, MOST_MIB = 4096, L2_TIMES = 4,
       BLOCKS_OF_EACH = 8, RATE_US = 1000, HOPS = 8192, STEP = 512,
       NEAR_NODES = 32768, L2_NODES = 2048, CHASES = 5 };

typedef struct {
  json_t *rates, *waits;
  int multiprocessors;
  int64_t bytes;     /* of the buffer */
  char *buffer;
  void *out;         /* sums, or the end of a chase */
  uint32_t *next;
  floor_span *span;
} memory;

static floor_call call_on(const memory *m, int64_t bytes) {
  return (floor_call){.in = m->buffer, .out = m->out, .span = m->span,
                      .count = bytes / 16, .rounds = 1,
                      .blocks = BLOCKS_OF_EACH * m->multiprocessors,
                      .threads = MEMORY_THREADS};
}

/* What the last read of the call has added up. */
static void check_sums(const floor_call *call) {
  const size_t count = (size_t)call->blocks * MEMORY_THREADS;
  uint32_t *sums = floor_memory(count * sizeof *sums), sum = 0;
  floor_must(cudaMemcpy(sums, call->out, count * sizeof *sums,
                        cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < count; i++) sum += sums[i];
  free(sums);
  if (sum != floor_expected_sum(16 * call->count, call->rounds))
    floor_ends(EXIT_FAILED, "what was read of memory adds up wrongly.");
}

/* `moved` times the bytes of the call go through the memory in a round. */
static void rate(const memory *m, floor_kernel *kernel, const floor_call *call,
                 double moved, const char *name) {
  floor_measuring(name);
  floor_times times = floor_time(kernel, call, 0);
  json_t *json = floor_times_json(&times);
  floor_add_rate(json, &times, moved * 16.0 * (double)call->count *
                 call->rounds, "bytes", m->multiprocessors);
  json_object_set_new(json, "buffer_mib", json_integer(call->count * 16 / MIB));
  json_object_set_new(m->rates, name, json);
}

static void bandwidths(const memory *m) {
  floor_call all = call_on(m, m->bytes), half = call_on(m, m->bytes / 2);
  floor_call small = call_on(m, L2_BYTES), fill = all;
  fill.out = m->buffer;
  half.out = m->buffer + m->bytes / 2;
  floor_must(floor_fill(&fill, 0));
  floor_must(cudaDeviceSynchronize());
  rate(m, floor_read, &all, 1.0, "dram_read");
  check_sums(&all);
  floor_calibrate(floor_read, &small, RATE_US);
  rate(m, floor_read, &small, 1.0, "l2_read");
  check_sums(&small);
  rate(m, floor_copy, &half, 2.0, "dram_copy");
  /* What the copy wrote, read once. */
  floor_call again = call_on(m, m->bytes / 2);
  again.in = half.out;
  floor_must(floor_read(&again, 0));
  floor_must(cudaDeviceSynchronize());
  check_sums(&again);
}

/* A path through the first `nodes`, `step` bytes apart; `evict`: all else is
 * read before, so that no node is left in the L2 cache. */
static floor_span one_chase(const memory *m, int64_t nodes, int64_t step,
                            bool evict) {
  const floor_call fill = {.in = m->next, .out = m->buffer, .count = nodes,
                           .step = step};
  const floor_call path = {.in = m->buffer, .out = m->out, .span = m->span,
                           .rounds = HOPS / CHASE_UNROLL};
  floor_call flush = call_on(m, m->bytes / 2);
  floor_span span;
  flush.in = m->buffer + m->bytes / 2;
  floor_must(floor_chase_fill(&fill, 0));
  floor_must(evict ? floor_read(&flush, 0) : floor_chase(&path, 0));
  floor_must(floor_chase(&path, 0));
  floor_must(cudaDeviceSynchronize());
  floor_must(cudaMemcpy(&span, m->span, sizeof span, cudaMemcpyDeviceToHost));
  return span;
}

static void chase(const memory *m, int64_t nodes, int64_t step, bool evict,
                  const char *name) {
  samples cycles = floor_samples(CHASES), ns = floor_samples(CHASES);
  const size_t bytes = (size_t)nodes * sizeof(uint32_t);
  uint32_t *next = floor_memory(bytes);
  floor_measuring(name);
  floor_shuffled_path(next, nodes);
  floor_must(cudaMemcpy(m->next, next, bytes, cudaMemcpyHostToDevice));
  for (int i = 0; i < CHASES; i++) {
    const floor_span span = one_chase(m, nodes, step, evict);
    cycles.us[i] = (float)span.cycles / HOPS;
    ns.us[i] = (float)span.ns / HOPS;
  }
  free(next);
  samples_summarise(&cycles);
  samples_summarise(&ns);
  json_object_set_new(
      m->waits, name,
      json_pack("{s:o, s:o, s:o, s:o, s:f}", "cycles", floor_real(cycles.p50),
                "ns", floor_real(ns.p50), "std_ns", floor_real(ns.deviation),
                "clock_mhz", floor_real(1000.0 * cycles.p50 / ns.p50),
                "span_mib", (double)(nodes * step) / MIB));
  samples_free(&cycles);
  samples_free(&ns);
}

void floor_measure_memory(json_t *floor, const device_info *device) {
  memory m = {.rates = json_object_get(floor, "rates"),
              .waits = json_object_get(floor, "waits"),
              .multiprocessors = device->multiprocessors,
              .bytes = (int64_t)MOST_MIB * MIB};
  while (m.bytes > MIB && (size_t)m.bytes > device->free_bytes / 2)
    m.bytes /= 2; /* half of the free memory is left alone */
  int l2 = 0;
  floor_at("memory");
  floor_must(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
  json_object_set_new(floor, "l2_bytes", json_integer(l2));
  if (m.bytes < (int64_t)L2_TIMES * l2) {
    json_array_append_new(json_object_get(floor, "left_out"),
                          json_string("memory"));
    fprintf(stderr, "memory is left out: %zu MiB are free, too few to be past "
            "the L2 cache of %d MiB.\n", device->free_bytes / MIB, l2 / MIB);
    return;
  }
  const size_t sums = (size_t)BLOCKS_OF_EACH * (size_t)m.multiprocessors *
                      MEMORY_THREADS * sizeof(uint32_t);
  floor_must(cudaMalloc((void **)&m.buffer, (size_t)m.bytes));
  floor_must(cudaMalloc(&m.out, sums));
  floor_must(cudaMalloc((void **)&m.next, NEAR_NODES * sizeof *m.next));
  floor_must(cudaMalloc((void **)&m.span, SPANS * sizeof *m.span));
  bandwidths(&m);
  /* The far path has many pages; a step that is no power of two, so that not
   * all of its nodes want the same place in the cache. */
  const int64_t far_step = (m.bytes / 2 / HOPS / STEP - 1) * STEP;
  chase(&m, L2_NODES, STEP, false, "l2_hit");
  chase(&m, NEAR_NODES, STEP, true, "dram_near");
  chase(&m, HOPS, far_step, true, "dram_far");
  cudaFree(m.buffer);
  cudaFree(m.out);
  cudaFree(m.next);
  cudaFree(m.span);
}
