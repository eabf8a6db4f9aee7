#include "further/stage18_ring/run/run.h"

#include <math.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/harness/program/reason.h"
#include "common/harness/record/results.h"
#include "common/harness/time/timing.h"
#include "further/stage18_ring/gpu/measure_link.h"
#include "further/stage18_ring/ranks/ranks.h"
#include "further/stage18_ring/ring/exchange.h"
#include "further/stage18_ring/ring/plan.h"

enum { USUAL_ROUNDS = 20, LEAST_ROUNDS = 5, WARM = 2, MOST_BATCH = 20 };
enum { MERGES = 20, MARKS_A_STEP = 3 };
/* Microseconds that one sample takes at least, and all of an arm's about. */
#define SAMPLE_US 4000.0
#define ARM_US 1.5e6
enum { ONE_CARD = EXCHANGES, ARMS };

/* One shape: what is timed, and what came out. */
typedef struct {
  ring_run *run;
  ring_case c;
  shard whole; /* of rank 0: the same problem on its card alone */
  exchange *x, *wide; /* for the ring, and for what does not overlap */
  cudaEvent_t begin, end;
  samples times[ARMS];
  bool wanted[ARMS];
  int batch[ARMS];
} shape_bench;

static void must(const ring_run *run, cudaError_t error) {
  reason why;
  if (!error) return;
  refuse(&why, "Rank %d's bench fails: %s.", run->place.rank,
         cudaGetErrorString(error));
  watchdog_give_up(EXIT_FAILED, why.text);
}

/* ---- the device ---- */

/* Ranks that share a card: NCCL does that from 2.30 on, with these settings. */
static bool may_share(ring_run *run, int ranks, reason *why) {
  int version = 0;
  ncclGetVersion(&version);
  if (run->options.verb == RING_BENCH)
    return refuse(why,
                  "%d ranks share a GPU: bench needs one for each, check does "
                  "not.",
                  ranks);
  if (version < 23000)
    return refuse(why,
                  "%d ranks would share a GPU, which NCCL %d.%d refuses: start "
                  "one for each, or use NCCL 2.30, for correctness only.",
                  ranks, version / 10000, version / 100 % 100);
  setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);
  setenv("NCCL_MAX_CTAS", "1", 1);
  run->options.multiprocessors = 1;
  if (run->place.rank == 0)
    printf("Ranks share a GPU: good for correctness only.\n");
  return true;
}

static bool choose_card(ring_run *run, char *bus, int size, reason *why) {
  int cards = 0;
  if (!device_open(&run->device, why)) return false;
  must(run, cudaGetDeviceCount(&cards));
  const int card = run->place.on_host % cards;
  if (card > 0) must(run, cudaDeviceReset()); /* device_open has used card 0 */
  must(run, cudaSetDevice(card));
  if (run->device.capability != 90)
    return refuse(why, "%s is not of compute capability 9.0 (Hopper), which "
                       "libfp8attention needs.",
                  run->device.name);
  int least = 0, greatest = 0;
  must(run, cudaDeviceGetStreamPriorityRange(&least, &greatest));
  must(run, cudaStreamCreateWithPriority(&run->stream, cudaStreamNonBlocking,
                                         least));
  must(run, cudaDeviceGetPCIBusId(bus, size, card));
  return true;
}

bool bench_device(ring_run *run, reason *why) {
  char name[128], bus[32] = "";
  /* Messages go from one card to one card. */
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  const bool good = choose_card(run, bus, sizeof bus, why);
  snprintf(name, sizeof name, "%s %s", run->place.host, bus);
  const int here = ranks_like(name, NULL);
  return good && (here == 1 || may_share(run, here, why));
}

/* ---- one run ---- */

static exchange *exchange_of(const shape_bench *b, int arm) {
  return arm == RING ? b->x : b->wide;
}

static bool plays(const shape_bench *b, int arm) {
  return arm != ONE_CARD || b->run->place.rank == 0;
}

static void start(shape_bench *b, int arm) {
  reason why;
  const bool good =
      arm == ONE_CARD
          ? attend(&b->whole, NULL, RING, b->run->stream, NULL, &why)
          : attend(&b->c.share, exchange_of(b, arm), (exchange_arm)arm,
                   b->run->stream, NULL, &why);
  if (!good) watchdog_give_up(EXIT_FAILED, why.text);
}

/* Microseconds of one attention, of the slowest rank: `batch` of them, one
 * behind the other, so that the host runs ahead of the device. */
static double time_arm(shape_bench *b, int arm, int batch) {
  float milliseconds = 0.0f;
  const ring_run *run = b->run;
  must(run, cudaStreamSynchronize(run->stream));
  ranks_meet();
  if (plays(b, arm)) {
    must(run, cudaEventRecord(b->begin, run->stream));
    for (int i = 0; i < batch; i++) start(b, arm);
    must(run, cudaEventRecord(b->end, run->stream));
    watchdog_device("timing %s", b->c.about->name);
    must(run, cudaEventSynchronize(b->end));
    must(run, cudaEventElapsedTime(&milliseconds, b->begin, b->end));
  }
  return ranks_largest(1000.0 * (double)milliseconds / batch);
}

/* ---- the samples ---- */

static void name_arm(int arm, char *name, size_t size) {
  snprintf(name, size, "%s",
           arm == ONE_CARD ? "one-card" : exchange_arm_name((exchange_arm)arm));
}

static void prepare(shape_bench *b) {
  int rounds = b->run->options.iters ? b->run->options.iters : USUAL_ROUNDS;
  for (int arm = 0; arm < ARMS; arm++) {
    if (!b->wanted[arm]) continue;
    double us = 0.0;
    for (int i = 0; i < WARM; i++) us = time_arm(b, arm, 1);
    b->batch[arm] = (int)fmin(fmax(ceil(SAMPLE_US / us), 1.0), MOST_BATCH);
    const int fit = (int)(ARM_US / (us * b->batch[arm]));
    if (!b->run->options.iters && fit < rounds)
      rounds = fit > LEAST_ROUNDS ? fit : LEAST_ROUNDS;
  }
  rounds = ranks_share(rounds);
  for (int arm = 0; arm < ARMS; arm++) {
    b->times[arm] = samples_new(b->wanted[arm] ? rounds : 1);
    if (!b->times[arm].us)
      watchdog_give_up(EXIT_IMPOSSIBLE, "Too little memory for the times.");
  }
}

/* All arms in turn, and each round begins with the next one. */
static void take_samples(shape_bench *b) {
  prepare(b);
  const int rounds = b->times[ONE_CARD].count;
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < ARMS; i++) {
      const int arm = (round + i) % ARMS;
      if (b->wanted[arm])
        b->times[arm].us[round] =
            (float)time_arm(b, arm, b->batch[arm]);
    }
  for (int arm = 0; arm < ARMS; arm++)
    if (b->wanted[arm]) samples_summarise(&b->times[arm]);
}

/* Nanoseconds a row of all heads, of the slowest rank; 0 without a merge. */
static double merge_row_ns(shape_bench *b) {
  const ring_run *run = b->run;
  reason why;
  float milliseconds = 0.0f;
  ring_block block = {.queries = 0};
  for (int step = 1; step < run->place.ranks && !block.queries; step++)
    block = plan_block(&b->c.share.plan, run->place.rank, step);
  for (int i = 0; i <= MERGES && block.queries; i++) {
    if (i == 1) must(run, cudaEventRecord(b->begin, run->stream));
    if (!attend_merge(&b->c.share, &block, run->stream, &why))
      watchdog_give_up(EXIT_FAILED, why.text);
  }
  if (block.queries) {
    must(run, cudaEventRecord(b->end, run->stream));
    must(run, cudaEventSynchronize(b->end));
    must(run, cudaEventElapsedTime(&milliseconds, b->begin, b->end));
  }
  const double own =
      block.queries ? 1e6 * (double)milliseconds / MERGES /
                          (double)block.queries
                    : 0.0;
  return ranks_largest(own);
}

/* ---- the result ---- */

static json_t *samples_json(const samples *s, int batch) {
  json_t *raw = json_array();
  for (int i = 0; i < s->count; i++)
    json_array_append_new(raw, json_real((double)s->us[i]));
  return json_pack("{s:f, s:f, s:f, s:f, s:i, s:o}", "p50_us", s->p50,
                   "p90_us", s->p90, "mean_us", s->mean, "deviation_us",
                   s->deviation, "runs_a_sample", batch, "samples_us", raw);
}

static model_input model_of(const shape_bench *b, const link_figures *link,
                            double merge_ns) {
  const attention_shape *s = &b->c.in.shape;
  const int all = b->run->device.multiprocessors;
  const int taken = exchange_multiprocessors(b->x);
  const double kv_heads = (double)(s->batch * s->kv_heads);
  /* The network: 400 gigabits a second for each card, 10 microseconds. */
  return (model_input){
      .one_card_us = b->times[ONE_CARD].p50,
      .merge_row_ns = merge_ns,
      .message_row_bytes = 2.0 * kv_heads * (double)s->head_dim,
      .message_bytes = 8.0 * kv_heads + LABEL_BYTES,
      .latency_us = link->latency_us,
      .bytes_a_us = link->bytes_a_us,
      .network_latency_us = 10.0,
      .network_bytes_a_us = 50000.0,
      .ranks_a_machine = 8,
      .slowdown = (double)all / (double)(all - taken)};
}

static json_t *model_json(const shape_bench *b, const link_figures *link,
                          double merge_ns) {
  static const int ranks[] = {2, 4, 8, 64};
  const model_input in = model_of(b, link, merge_ns);
  json_t *list = json_array();
  for (int i = 0; i < 4; i++) {
    const ring_plan plan = {ranks[i], b->c.in.shape.seq_len,
                            b->c.in.shape.causal};
    const double us = model_ring_us(&in, &plan);
    json_t *entry =
        json_pack("{s:i, s:f, s:f}", "ranks", ranks[i], "predicted_us", us,
                  "speedup", in.one_card_us / us);
    if (ranks[i] == b->run->place.ranks && b->wanted[RING])
      json_object_set_new(entry, "error_pct",
                          json_real(100.0 * (us / b->times[RING].p50 - 1.0)));
    json_array_append_new(list, entry);
  }
  return json_pack("{s:f, s:f, s:f, s:f, s:f, s:i, s:f, s:o}", "merge_row_ns",
                   merge_ns, "latency_us", in.latency_us, "link_bytes_a_us",
                   in.bytes_a_us, "network_latency_us", in.network_latency_us,
                   "network_bytes_a_us", in.network_bytes_a_us,
                   "ranks_a_machine", in.ranks_a_machine, "slowdown",
                   in.slowdown, "predictions", list);
}

/* One attention with marks. */
static json_t *timeline_json(shape_bench *b, exchange_arm arm) {
  marks *times = marks_new(MARKS_A_STEP * b->run->place.ranks + 1);
  ranks_meet();
  exchange *x = exchange_of(b, arm);
  run_once(b->run, &b->c, x, arm, NULL);
  ranks_meet();
  run_once(b->run, &b->c, x, arm, times);
  json_t *json = marks_json(times);
  exchange_times(x, NULL);
  marks_free(times);
  return json;
}

static json_t *shape_json(shape_bench *b, const sample_result *judged,
                          const link_figures *link) {
  const attention_shape *s = &b->c.in.shape;
  const double merge_ns = merge_row_ns(b);
  const double alone = b->times[ONE_CARD].p50;
  json_t *arms = json_object(), *lines = json_object();
  for (int arm = 0; arm < ARMS; arm++) {
    char name[16];
    if (!b->wanted[arm]) continue;
    name_arm(arm, name, sizeof name);
    json_t *entry = samples_json(&b->times[arm], b->batch[arm]);
    json_object_set_new(entry, "speedup",
                        json_real(alone / b->times[arm].p50));
    json_object_set_new(
        entry, "tflops",
        json_real(attention_shape_flops(s) / b->times[arm].p50 / 1e6));
    json_object_set_new(arms, name, entry);
    if (arm != ONE_CARD)
      json_object_set_new(lines, name, timeline_json(b, (exchange_arm)arm));
  }
  return json_pack(
      "{s:s, s:[I,I,I,I], s:I, s:b, s:{s:I, s:f, s:f}, s:o, s:o, s:o}", "name",
      b->c.about->name, "shape", (json_int_t)s->batch, (json_int_t)s->heads,
      (json_int_t)s->seq_len, (json_int_t)s->head_dim, "kv_heads",
      (json_int_t)s->kv_heads, "causal", (int)s->causal, "sample", "rows",
      (json_int_t)judged->rows, "rel_rms", judged->figure, "limit",
      judged->limit, "arms", arms, "timeline_of_rank_0", lines, "model",
      model_json(b, link, merge_ns));
}

static void print_shape(const shape_bench *b) {
  printf("%-28s", b->c.about->name);
  for (int arm = 0; arm < ARMS; arm++) {
    char name[16];
    if (!b->wanted[arm]) continue;
    name_arm(arm, name, sizeof name);
    printf("  %s %.0f us (%.2fx)", name, b->times[arm].p50,
           b->times[ONE_CARD].p50 / b->times[arm].p50);
  }
  printf("\n");
  fflush(stdout);
}

/* ---- a shape ---- */

/* A sample of each arm's rows: all ranks end where it fails. */
static sample_result judge(shape_bench *b) {
  check_result unused;
  sample_result worst = {0};
  for (int a = 0; a < b->run->arm_count; a++) {
    sample_result one;
    reason why;
    const exchange_arm arm = b->run->arms[a];
    run_once(b->run, &b->c, exchange_of(b, arm), arm, NULL);
    case_judge(&b->c, &unused, &one);
    if (!sample_passed(&one)) {
      refuse(&why,
             "%s by %s: relative RMS %.3g, of at most %.3g; nothing was timed, "
             "because a gate failed.",
             b->c.about->name, exchange_arm_name(arm), one.figure, one.limit);
      watchdog_give_up(EXIT_FAILED, why.text);
    }
    if (a == 0 || one.figure > worst.figure) worst = one;
  }
  return worst;
}

static json_t *bench_shape(ring_run *run, const check_case *about, exchange *x,
                           exchange *wide, const link_figures *link) {
  shape_bench b = {.run = run, .x = x, .wide = wide};
  reason why;
  int64_t rows = run_sample(run, &about->shape);
  if (rows == 0) rows = 32;
  case_new(&b.c, about, rows, run->place.rank, run->place.ranks,
           run->place.ranks > 2 ? run->place.ranks : 2);
  const ring_plan alone = {1, about->shape.seq_len, about->shape.causal};
  const bool good = run->place.rank > 0 ||
                    shard_new(&b.whole, &b.c.in, &alone, 0, 1, &why);
  if (!ranks_can(good ? NULL : why.text, &why))
    watchdog_give_up(EXIT_IMPOSSIBLE, why.text);
  must(run, cudaEventCreate(&b.begin));
  must(run, cudaEventCreate(&b.end));
  b.wanted[ONE_CARD] = true;
  for (int a = 0; a < run->arm_count; a++) b.wanted[run->arms[a]] = true;
  const sample_result judged = judge(&b);
  take_samples(&b);
  json_t *json = shape_json(&b, &judged, link);
  if (run->place.rank == 0) print_shape(&b);
  for (int arm = 0; arm < ARMS; arm++) samples_free(&b.times[arm]);
  cudaEventDestroy(b.begin);
  cudaEventDestroy(b.end);
  if (run->place.rank == 0) shard_free(&b.whole);
  case_free(&b.c);
  return json;
}

/* ---- all ---- */

static json_t *about_run(const ring_run *run) {
  int version = 0;
  char name[64], date[32];
  struct tm utc;
  const time_t now = time(NULL);
  ncclGetVersion(&version);
  meta_run_name(name, sizeof name);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  return json_pack(
      "{s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:o, s:{s:s, s:b, s:i, s:o},"
      " s:s}",
      "schema_version", RESULTS_SCHEMA, "stage", "stage18_ring", "kernel_hash",
      RING_KERNEL, "library_kernel_hash", RING_LIBRARY_KERNEL, "commit",
      run->options.commit, "run", name, "ranks", run->place.ranks,
      "ranks_of_host_0", run->place.of_host, "nccl",
      json_sprintf("%d.%d.%d", version / 10000, version / 100 % 100,
                   version % 100),
      "device", "name", run->device.name, "is_gpu", 1, "multiprocessors",
      run->device.multiprocessors, "driver",
      json_sprintf("%d.%d", run->device.driver / 1000,
                   run->device.driver % 1000 / 10),
      "date", date);
}

int run_bench(ring_run *run) {
  reason why;
  const bool first = run->place.rank == 0;
  const bool can_write = !first || !run->options.json ||
                         results_ready(run->options.json, "ring", &why);
  if (!ranks_can(can_write ? NULL : why.text, &why))
    watchdog_give_up(EXIT_IMPOSSIBLE, why.text);
  if (run->place.ranks == 1)
    watchdog_give_up(EXIT_USAGE, "bench needs two ranks or more: RANKS=2.");
  exchange *wide = run_exchange(run, WHEN_IT_COMES, 0);
  exchange *x =
      run_exchange(run, WHEN_IT_COMES, run->options.multiprocessors);
  link_figures link = measure_link(run, x);
  link_figures of_wide = measure_link(run, wide);
  if (first)
    printf("stage18_ring on %d ranks, %s: the link by NCCL, on %d "
           "multiprocessors %.1f GB/s and %.1f us, on all %.1f GB/s\n",
           run->place.ranks, run->device.name, exchange_multiprocessors(x),
           link.bytes_a_us / 1000.0, link.latency_us,
           of_wide.bytes_a_us / 1000.0);
  json_t *shapes = json_array();
  for (int i = 0; i < run->list.count; i++)
    json_array_append_new(shapes,
                          bench_shape(run, &run->list.cases[i], x, wide,
                                      &link));
  json_t *result = json_pack("{s:o, s:o, s:o, s:o}", "build_meta",
                             about_run(run), "link", link.json, "wide_link",
                             of_wide.json, "shapes", shapes);
  bool written = true;
  if (first && run->options.json)
    written = results_write(result, run->options.json, "ring", &why);
  json_decref(result);
  if (!ranks_can(written ? NULL : why.text, &why))
    watchdog_give_up(EXIT_IMPOSSIBLE, why.text);
  if (first && run->options.json)
    printf("wrote %s/ring.json\n", run->options.json);
  run_exchange_end(x);
  run_exchange_end(wide);
  return EXIT_PASS;
}
