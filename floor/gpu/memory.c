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
  reason *why;
} memory;

static bool well(memory *m, cudaError_t status, const char *name) {
  return floor_went_well(status, name, m->why);
}

static floor_call call_on(const memory *m, int64_t bytes) {
  return (floor_call){.in = m->buffer, .out = m->out, .span = m->span,
                      .count = bytes / 16, .rounds = 1,
                      .blocks = BLOCKS_OF_EACH * m->multiprocessors,
                      .threads = MEMORY_THREADS};
}

static bool sums_are(memory *m, const floor_call *call, const char *name) {
  const size_t count = (size_t)call->blocks * MEMORY_THREADS;
  uint32_t *sums = malloc(count * sizeof *sums), sum = 0;
  if (!sums) return well(m, cudaErrorMemoryAllocation, name);
  const cudaError_t status =
      cudaMemcpy(sums, call->out, count * sizeof *sums,
                 cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < count; i++) sum += sums[i];
  free(sums);
  if (!well(m, status, name)) return false;
  if (sum == floor_expected_sum(16 * call->count, call->rounds)) return true;
  return refuse(m->why, "%s: what was read adds up wrongly.", name);
}

/* `moved` times the bytes of the call go through the memory in a round. */
static bool rate(memory *m, floor_kernel *kernel, const floor_call *call,
                 double moved, const char *name) {
  floor_times times;
  fprintf(stderr, "measuring %s ...\n", name);
  const bool good =
      floor_time(kernel, call, 0, &times, name, m->why);
  if (good) {
    json_t *json = floor_times_json(&times);
    floor_add_rate(json, &times, moved * 16.0 * (double)call->count *
                   call->rounds, "bytes", m->multiprocessors);
    json_object_set_new(json, "buffer_mib",
                        json_integer(call->count * 16 / MIB));
    json_object_set_new(m->rates, name, json);
  }
  floor_times_free(&times);
  return good;
}

static bool bandwidths(memory *m) {
  floor_call all = call_on(m, m->bytes), half = call_on(m, m->bytes / 2);
  floor_call small = call_on(m, L2_BYTES), fill = all;
  fill.out = m->buffer;
  half.out = m->buffer + m->bytes / 2;
  if (!well(m, floor_fill(&fill, 0), "fill") ||
      !well(m, cudaDeviceSynchronize(), "fill") ||
      !rate(m, floor_read, &all, 1.0, "dram_read") ||
      !sums_are(m, &all, "dram_read") ||
      !floor_calibrate(floor_read, &small, RATE_US, "l2_read", m->why) ||
      !rate(m, floor_read, &small, 1.0, "l2_read") ||
      !sums_are(m, &small, "l2_read") ||
      !rate(m, floor_copy, &half, 2.0, "dram_copy"))
    return false;
  /* What the copy wrote, read once. */
  floor_call again = call_on(m, m->bytes / 2);
  again.in = half.out;
  return well(m, floor_read(&again, 0), "dram_copy") &&
         well(m, cudaDeviceSynchronize(), "dram_copy") &&
         sums_are(m, &again, "dram_copy");
}

/* A path through the first `nodes`, `step` bytes apart; `evict`: all else is
 * read before, so that no node is left in the L2 cache. */
static bool one_chase(memory *m, int64_t nodes, int64_t step, bool evict,
                      floor_span *span) {
  const floor_call fill = {.in = m->next, .out = m->buffer, .count = nodes,
                           .step = step};
  floor_call chase = {.in = m->buffer, .out = m->out, .span = m->span,
                      .rounds = HOPS / CHASE_UNROLL};
  floor_call flush = call_on(m, m->bytes / 2);
  flush.in = m->buffer + m->bytes / 2;
  cudaError_t status = floor_chase_fill(&fill, 0);
  if (!status) status = evict ? floor_read(&flush, 0) : floor_chase(&chase, 0);
  if (!status) status = floor_chase(&chase, 0);
  if (!status) status = cudaDeviceSynchronize();
  if (!status)
    status = cudaMemcpy(span, m->span, sizeof *span, cudaMemcpyDeviceToHost);
  return well(m, status, "chase");
}

static bool chase(memory *m, int64_t nodes, int64_t step, bool evict,
                  const char *name) {
  samples cycles = samples_new(CHASES), ns = samples_new(CHASES);
  uint32_t *next = malloc((size_t)nodes * sizeof *next);
  bool good = cycles.us && ns.us && next;
  fprintf(stderr, "measuring %s ...\n", name);
  if (good) {
    floor_shuffled_path(next, nodes);
    good = well(m, cudaMemcpy(m->next, next, (size_t)nodes * sizeof *next,
                              cudaMemcpyHostToDevice), name);
  }
  for (int i = 0; i < CHASES && good; i++) {
    floor_span span;
    good = one_chase(m, nodes, step, evict, &span);
    cycles.us[i] = (float)span.cycles / HOPS;
    ns.us[i] = (float)span.ns / HOPS;
  }
  free(next);
  if (good) {
    samples_summarise(&cycles);
    samples_summarise(&ns);
    json_object_set_new(
        m->waits, name,
        json_pack("{s:o, s:o, s:o, s:o, s:f}", "cycles",
                  floor_real(cycles.p50), "ns", floor_real(ns.p50), "std_ns",
                  floor_real(ns.deviation), "clock_mhz",
                  floor_real(1000.0 * cycles.p50 / ns.p50), "span_mib",
                  (double)(nodes * step) / MIB));
  }
  samples_free(&cycles);
  samples_free(&ns);
  return good;
}

static bool measure(memory *m) {
  /* The far path has many pages; a step that is no power of two, so that not
   * all of its nodes want the same place in the cache. */
  const int64_t far_step = (m->bytes / 2 / HOPS / STEP - 1) * STEP;
  return bandwidths(m) && chase(m, L2_NODES, STEP, false, "l2_hit") &&
         chase(m, NEAR_NODES, STEP, true, "dram_near") &&
         chase(m, HOPS, far_step, true, "dram_far");
}

bool floor_measure_memory(json_t *floor, const device_info *device,
                          reason *why) {
  memory m = {.rates = json_object_get(floor, "rates"),
              .waits = json_object_get(floor, "waits"),
              .multiprocessors = device->multiprocessors,
              .bytes = (int64_t)MOST_MIB * MIB, .why = why};
  while (m.bytes > MIB && (size_t)m.bytes > device->free_bytes / 2)
    m.bytes /= 2; /* half of the free memory is left alone */
  int l2 = 0;
  cudaError_t status = cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0);
  if (!well(&m, status, "the size of the L2 cache")) return false;
  json_object_set_new(floor, "l2_bytes", json_integer(l2));
  if (m.bytes < (int64_t)L2_TIMES * l2) {
    json_array_append_new(json_object_get(floor, "left_out"),
                          json_string("memory"));
    fprintf(stderr, "memory is left out: %zu MiB are free, too few to be past "
            "the L2 cache of %d MiB.\n", device->free_bytes / MIB, l2 / MIB);
    return true;
  }
  const size_t sums = (size_t)BLOCKS_OF_EACH * (size_t)m.multiprocessors *
                      MEMORY_THREADS * sizeof(uint32_t);
  status = cudaMalloc((void **)&m.buffer, (size_t)m.bytes);
  if (!status) status = cudaMalloc(&m.out, sums);
  if (!status)
    status = cudaMalloc((void **)&m.next, NEAR_NODES * sizeof *m.next);
  if (!status) status = cudaMalloc((void **)&m.span, SPANS * sizeof *m.span);
  const bool good = well(&m, status, "memory") && measure(&m);
  cudaFree(m.buffer);
  cudaFree(m.out);
  cudaFree(m.next);
  cudaFree(m.span);
  return good;
}
