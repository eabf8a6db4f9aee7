#include "further/stage18_ring/gpu/link.h"

#include <math.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/harness/results.h"
#include "common/harness/timing.h"

enum { USUAL_ROUNDS = 20, LEAST_ROUNDS = 5, WARM = 2, MOST_BATCH = 20 };
enum { MERGES = 20, MARKS_A_STEP = 3, BLOCKS = 4 };
/* Microseconds that one sample takes at least, and all of an arm's about. */
#define SAMPLE_US 4000.0
#define ARM_US 1.5e6
/* What takes longer needs no second run to be warm. */
#define LONG_US 1e5
/* Rings, serial, all-gather, and one card. */
enum { MOST_ARMS = MOST_RINGS + EXCHANGES };

/* What is timed: a ring for each number of multiprocessors that its messages
 * may take, what does not overlap, with all of them, and one card alone. */
typedef struct {
  char name[24];
  exchange_arm how;
  exchange *x; /* NULL: each rank's card alone */
  link_figures link;
  samples times;
  int batch;
} bench_arm;

/* How many ranks the model has. */
enum { MODELS = 4 };
static const int model_ranks[MODELS] = {2, 4, 8, 64};
static const char *const step_names[STEP_KINDS] = {"own", "earlier", "later"};

/* One shape, and what came out. */
typedef struct {
  ring_run *run;
  ring_case c;
  shard whole; /* the same problem, for one card alone */
  double share_bytes; /* what attention takes, of the rank that has most */
  int64_t rows;       /* that were judged */
  bench_arm *arms; /* the last one is one card */
  int count;
  clock_log clocks; /* of rank 0's card, while all were timed */
  double alone_us[MODELS][STEP_KINDS]; /* steps that have the whole card */
} shape_bench;

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
  run->options.multiprocessors[0] = 1;
  if (run->place.rank == 0)
    printf("Ranks share a GPU: good for correctness only.\n");
  return true;
}

static bool choose_card(ring_run *run, char *bus, int size, reason *why) {
  int cards = 0;
  if (!device_open(&run->device, why)) return false;
  run_must(run, cudaGetDeviceCount(&cards));
  const int card = run->place.on_host % cards;
  if (card > 0) /* device_open has used card 0 */
    run_must(run, cudaDeviceReset());
  run_must(run, cudaSetDevice(card));
  if (run->device.capability != 90)
    return refuse(why, "%s is not of compute capability 9.0 (Hopper), which "
                       "libfp8attention needs.",
                  run->device.name);
  int least = 0, greatest = 0;
  run_must(run, cudaDeviceGetStreamPriorityRange(&least, &greatest));
  run_must(run, cudaStreamCreateWithPriority(&run->stream,
                                             cudaStreamNonBlocking, least));
  run_must(run, cudaDeviceGetPCIBusId(bus, size, card));
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

/* Microseconds of one attention, of the slowest rank, or of rank 0's card
 * alone: `batch` of them, one behind the other, so that the host runs ahead of
 * the device. */
static double time_arm(shape_bench *b, const bench_arm *arm, int batch) {
  const ring_run *run = b->run;
  run_must(run, cudaStreamSynchronize(run->stream));
  ranks_meet();
  clock_begin(run);
  for (int i = 0; i < batch; i++)
    attend(arm->x ? &b->c.share : &b->whole, arm->x, arm->how, run->stream,
           NULL);
  const double own = clock_end(run, b->c.about->name) / batch;
  return ranks_largest(arm->x || run->place.rank == 0 ? own : 0.0);
}

/* ---- the samples ---- */

/* Returns how many rounds there are. */
static int prepare(shape_bench *b) {
  const int given = b->run->options.iters;
  int rounds = given ? given : USUAL_ROUNDS;
  for (int i = 0; i < b->count; i++) {
    bench_arm *arm = &b->arms[i];
    double us = 0.0;
    for (int warm = 0; warm < WARM && us < LONG_US; warm++)
      us = time_arm(b, arm, 1);
    arm->batch = (int)fmin(fmax(ceil(SAMPLE_US / us), 1.0), MOST_BATCH);
    const int fit = (int)(ARM_US / (us * arm->batch));
    if (!given && fit < rounds)
      rounds = fit > LEAST_ROUNDS ? fit : LEAST_ROUNDS;
  }
  for (int i = 0; i < b->count; i++) {
    b->arms[i].times = samples_new(rounds);
    if (!b->arms[i].times.us)
      watchdog_give_up(EXIT_IMPOSSIBLE, "Too little memory for the times.");
  }
  return rounds;
}

/* All arms in turn, in another order each round. */
static void take_samples(shape_bench *b) {
  int order[MOST_ARMS];
  const int rounds = prepare(b);
  for (int round = 0; round < rounds; round++) {
    order_of_round(round, order, b->count);
    for (int i = 0; i < b->count; i++) {
      bench_arm *arm = &b->arms[order[i]];
      arm->times.us[round] = (float)time_arm(b, arm, arm->batch);
    }
  }
  for (int i = 0; i < b->count; i++) samples_summarise(&b->arms[i].times);
}

static double one_card_us(const shape_bench *b) {
  return b->arms[b->count - 1].times.p50;
}

/* Nanoseconds a row of all heads, of the slowest rank; 0 without a merge. */
static double merge_row_ns(shape_bench *b) {
  const ring_run *run = b->run;
  double us = 0.0;
  ring_block block = {.queries = 0};
  for (int step = 1; step < run->place.ranks && !block.queries; step++)
    block = plan_block(&b->c.share.plan, run->place.rank, step);
  for (int i = 0; i <= MERGES && block.queries; i++) {
    if (i == 1) clock_begin(run); /* the first is to warm up */
    attend_merge(&b->c.share, &block, run->stream);
  }
  if (block.queries)
    us = clock_end(run, "a merge") / (double)block.queries;
  return ranks_largest(1000.0 * us / MERGES);
}

/* ---- the result ---- */

static json_t *arm_json(const samples *s, int batch) {
  return json_pack("{s:f, s:f, s:f, s:f, s:i, s:o}", "p50_us", s->p50,
                   "p90_us", s->p90, "mean_us", s->mean, "deviation_us",
                   s->deviation, "runs_a_sample", batch, "samples",
                   samples_json(s));
}

/* The network between machines: 400 gigabits a second for each card, 10
 * microseconds. */
#define NETWORK_US 10.0
#define NETWORK_BYTES_A_US 50000.0
enum { RANKS_A_MACHINE = 8 };

/* The attention of one block on each rank's card alone. */
static double block_us(shape_bench *b, const ring_block *block,
                       int multiprocessors) {
  const ring_run *run = b->run;
  double us = 0.0;
  /* What is short is timed once more, several in a row. */
  for (int count = 1, next; count; count = next) {
    clock_begin(run);
    for (int i = 0; i < count; i++)
      attend_part(&b->whole, block, multiprocessors, run->stream);
    us = clock_end(run, "a block") / count;
    next = count == 1 && us < SAMPLE_US ? BLOCKS : 0;
  }
  return ranks_largest(us);
}

/* Of each kind of step that such a ring has. */
static void steps_us(shape_bench *b, const ring_plan *plan, int multiprocessors,
                     double us[STEP_KINDS]) {
  const ring_block blocks[STEP_KINDS] = {plan_block(plan, 0, 0),
                                         plan_block(plan, 1, 1),
                                         plan_block(plan, 0, 1)};
  for (int kind = 0; kind < STEP_KINDS; kind++)
    us[kind] = kind && !plan->causal
                   ? us[OWN_KEYS]
                   : block_us(b, &blocks[kind], multiprocessors);
}

/* What is known of a ring of so many ranks. A link is slower for a short
 * message, so its rate is that of this ring's. */
static model_input model_of(const shape_bench *b, const bench_arm *arm,
                            const ring_plan *plan, double merge_ns) {
  const attention_shape *s = &b->c.in.shape;
  const double kv_heads = (double)(s->batch * s->kv_heads);
  const double row = 2.0 * kv_heads * (double)s->head_dim;
  const double rest = 8.0 * kv_heads + LABEL_BYTES;
  const double bytes = row * (double)plan_most_rows(plan) + rest;
  return (model_input){.merge_row_ns = merge_ns,
                       .message_row_bytes = row,
                       .message_bytes = rest,
                       .bytes_a_us = bytes / link_us(&arm->link, bytes),
                       .network_latency_us = NETWORK_US,
                       .network_bytes_a_us = NETWORK_BYTES_A_US,
                       .ranks_a_machine = RANKS_A_MACHINE};
}

/* How far the model is off where it can be compared, and what it predicts. */
static json_t *model_json(shape_bench *b, const bench_arm *arm,
                          double merge_ns) {
  const bool first = b->run->place.rank == 0;
  json_t *list = json_array();
  if (first) printf("  model of %s:", arm->name);
  for (int i = 0; i < MODELS; i++) {
    const ring_plan plan = {model_ranks[i], b->c.in.shape.seq_len,
                            b->c.in.shape.causal};
    model_input in = model_of(b, arm, &plan, merge_ns);
    double beside[STEP_KINDS];
    steps_us(b, &plan, exchange_leaves(arm->x), beside);
    json_t *steps = json_object();
    for (int kind = 0; kind < STEP_KINDS; kind++) {
      in.step_us[kind][0] = b->alone_us[i][kind];
      in.step_us[kind][1] = beside[kind];
      json_object_set_new(steps, step_names[kind],
                          json_pack("{s:f, s:f}", "alone_us",
                                    in.step_us[kind][0], "beside_us",
                                    in.step_us[kind][1]));
    }
    const double us = model_ring_us(&in, &plan);
    const double speedup = one_card_us(b) / us;
    json_t *entry = json_pack(
        "{s:i, s:f, s:f, s:f, s:o}", "ranks", plan.ranks, "predicted_us", us,
        "speedup", speedup, "link_bytes_a_us", in.bytes_a_us, "steps", steps);
    if (first)
      printf("%s %d cards, predicted, %.2fx", i ? ";" : "", plan.ranks,
             speedup);
    if (plan.ranks == b->run->place.ranks) {
      const double off = 100.0 * (us / arm->times.p50 - 1.0);
      json_object_set_new(entry, "error_pct", json_real(off));
      if (first) printf(" (time off by %+.1f %%)", off);
    }
    json_array_append_new(list, entry);
  }
  if (first) printf("\n");
  return json_pack("{s:f, s:f, s:f, s:i, s:o}", "merge_row_ns", merge_ns,
                   "network_latency_us", NETWORK_US, "network_bytes_a_us",
                   NETWORK_BYTES_A_US, "ranks_a_machine", RANKS_A_MACHINE,
                   "predictions", list);
}

/* One attention with marks. */
static json_t *timeline_json(shape_bench *b, const bench_arm *arm) {
  marks *times = marks_new(MARKS_A_STEP * b->run->place.ranks + 1);
  if (arm->times.p50 < LONG_US) {
    ranks_meet();
    run_once(b->run, &b->c, arm->x, arm->how, NULL);
  }
  ranks_meet();
  run_once(b->run, &b->c, arm->x, arm->how, times);
  json_t *json = marks_json(times);
  exchange_times(arm->x, NULL);
  marks_free(times);
  return json;
}

static json_t *shape_json(shape_bench *b, const check_result *judged) {
  const gates_result *gates = &judged->gates;
  const attention_shape *s = &b->c.in.shape;
  const double merge_ns = merge_row_ns(b);
  for (int i = 0; i < MODELS; i++) {
    const ring_plan plan = {model_ranks[i], s->seq_len, s->causal};
    steps_us(b, &plan, 0, b->alone_us[i]);
  }
  json_t *arms = json_object(), *lines = json_object();
  for (int i = 0; i < b->count; i++) {
    bench_arm *arm = &b->arms[i];
    json_t *entry = arm_json(&arm->times, arm->batch);
    json_object_set_new(entry, "speedup",
                        json_real(one_card_us(b) / arm->times.p50));
    json_object_set_new(
        entry, "tflops",
        json_real(attention_shape_flops(s) / arm->times.p50 / 1e6));
    if (arm->x && arm->how == RING)
      json_object_set_new(entry, "model", model_json(b, arm, merge_ns));
    if (arm->x)
      json_object_set_new(lines, arm->name, timeline_json(b, arm));
    json_object_set_new(arms, arm->name, entry);
  }
  return json_pack(
      "{s:s, s:[I,I,I,I], s:I, s:b, s:I, s:{s:I, s:f, s:f, s:f}, s:o, "
      "s:o, s:o}",
      "name", b->c.about->name, "shape", (json_int_t)s->batch,
      (json_int_t)s->heads, (json_int_t)s->seq_len, (json_int_t)s->head_dim,
      "kv_heads", (json_int_t)s->kv_heads, "causal", (int)s->causal,
      "share_bytes", (json_int_t)b->share_bytes, "sample", "rows",
      (json_int_t)b->rows, "rel_rms", gates->figure[GATE_REL_RMS], "limit",
      gates->limit[GATE_REL_RMS], "max_abs", gates->figure[GATE_MAX_ABS_ERR],
      "clocks",
      clocks_json(&b->clocks), "arms", arms, "timeline_of_rank_0", lines);
}

static void print_shape(const shape_bench *b, const check_result *judged) {
  if (b->run->place.rank > 0) return;
  printf("%s: %lld rows sampled, rel. RMS %.1e, largest error %.1e; %.2f GB a "
         "card\n ",
         b->c.about->name, (long long)b->rows,
         judged->gates.figure[GATE_REL_RMS],
         judged->gates.figure[GATE_MAX_ABS_ERR], b->share_bytes / 1e9);
  for (int i = 0; i < b->count; i++)
    printf(" %s %.0f us (%.2fx)", b->arms[i].name, b->arms[i].times.p50,
           one_card_us(b) / b->arms[i].times.p50);
  printf("\n");
}

/* ---- a shape ---- */

/* A sample of each arm's rows: all ranks end where it fails. */
static check_result judge(shape_bench *b) {
  check_result worst = {0}, one;
  const double *its = &one.gates.figure[GATE_REL_RMS];
  for (int i = 0; b->arms[i].x; i++) {
    const bench_arm *arm = &b->arms[i];
    run_once(b->run, &b->c, arm->x, arm->how, NULL);
    b->rows = case_judge(&b->c, &one);
    if (!check_passed(&one))
      watchdog_fails("%s by %s: relative RMS %.3g, of at most %.3g; nothing "
                     "was timed, because a gate failed.", b->c.about->name,
                     arm->name, *its, one.gates.limit[GATE_REL_RMS]);
    if (i == 0 || *its > worst.gates.figure[GATE_REL_RMS]) worst = one;
  }
  return worst;
}

static json_t *bench_shape(ring_run *run, const check_case *about,
                           bench_arm *arms, int count) {
  shape_bench b = {.run = run, .arms = arms, .count = count};
  case_new(&b.c, run, about);
  b.share_bytes = ranks_largest((double)b.c.share.bytes);
  const ring_plan alone = {1, about->shape.seq_len, about->shape.causal};
  shard_new(&b.whole, &b.c.in, &alone, 0, 1);
  const check_result judged = judge(&b);
  clocks_begin();
  take_samples(&b);
  clocks_end(&b.clocks);
  print_shape(&b, &judged);
  json_t *json = shape_json(&b, &judged);
  fflush(stdout);
  for (int i = 0; i < count; i++) samples_free(&arms[i].times);
  shard_free(&b.whole);
  case_free(&b.c);
  return json;
}

/* ---- all ---- */

static json_t *about_run(const ring_run *run) {
  int version = 0;
  char name[64];
  ncclGetVersion(&version);
  meta_run_name(name, sizeof name);
  return json_pack(
      "{s:i, s:s, s:s, s:{s:{s:s, s:s}}, s:s, s:s, s:i, s:i, s:o, s:o, s:o}",
      "schema_version", RESULTS_SCHEMA, "stage", "stage18_ring", "kernel_hash",
      RING_KERNEL, "kernels", "libfp8attention", "stage", "libfp8attention",
      "kernel_hash", RING_LIBRARY_KERNEL, "commit", run->options.commit, "run",
      name, "ranks", run->place.ranks, "ranks_of_host_0", run->place.of_host,
      "nccl",
      json_sprintf("%d.%d.%d", version / 10000, version / 100 % 100,
                   version % 100),
      "device", meta_device(&run->device), "date", meta_date());
}

/* What is to be timed, each with its link; `links` gets what was measured. */
static int open_arms(ring_run *run, bench_arm *arms, exchange *wide,
                     json_t *links) {
  int count = 0;
  const link_figures of_wide = measure_link(run, wide, 0);
  for (int a = 0; a < run->arm_count; a++) {
    const exchange_arm how = run->arms[a];
    const int rings = how == RING ? run->options.ring_count : 1;
    for (int i = 0; i < rings; i++) {
      bench_arm *arm = &arms[count++];
      *arm = (bench_arm){.how = how, .x = wide, .link = of_wide};
      snprintf(arm->name, sizeof arm->name, "%s", exchange_arm_name(how));
      if (how != RING) continue;
      const int most = run->options.multiprocessors[i];
      snprintf(arm->name, sizeof arm->name, "ring-%d", most);
      arm->x = run_exchange(run, WHEN_IT_COMES, most);
      arm->link = measure_link(run, arm->x, most);
      json_array_append_new(links, arm->link.json);
    }
  }
  json_array_append_new(links, of_wide.json);
  arms[count++] = (bench_arm){.name = "one-card", .how = RING};
  return count;
}

int run_bench(ring_run *run) {
  bench_arm arms[MOST_ARMS];
  reason why;
  const bool first = run->place.rank == 0;
  const bool writes = first && run->options.json;
  ranks_can(!writes || results_ready(run->options.json, "ring", &why), &why);
  if (run->place.ranks == 1)
    watchdog_give_up(EXIT_USAGE, "bench needs two ranks or more: RANKS=2.");
  if (!run->options.sample) run->options.sample = SAMPLE_ROWS;
  exchange *wide = run_exchange(run, WHEN_IT_COMES, 0);
  json_t *links = json_array(), *shapes = json_array();
  const int count = open_arms(run, arms, wide, links);
  json_t *result =
      json_pack("{s:o, s:o, s:o}", "build_meta", about_run(run), "links", links,
                "shapes", shapes);
  if (first) {
    printf("stage18_ring on %d ranks, %s: the link by NCCL", run->place.ranks,
           run->device.name);
    for (int i = 0; arms[i].x; i++)
      printf(", %s %.1f GB/s", arms[i].name, arms[i].link.gb_a_second);
    printf("\n");
    fflush(stdout);
  }
  for (int i = 0; i < run->list.count; i++) {
    json_array_append_new(
        shapes, bench_shape(run, &run->list.cases[i], arms, count));
    /* A run that is cut off leaves what it has measured. */
    ranks_can(!writes || results_write(result, run->options.json, "ring", &why),
              &why);
  }
  json_decref(result);
  if (writes) printf("wrote %s/ring.json\n", run->options.json);
  for (int i = 0; i < count; i++)
    if (arms[i].x && arms[i].x != wide) run_exchange_end(arms[i].x);
  run_exchange_end(wide);
  return EXIT_PASS;
}

int run_race(ring_run *run) {
  (void)run;
  watchdog_give_up(EXIT_IMPOSSIBLE,
                   "The race checks are the CPU executor's: 'make stage18 race "
                   "TARGET=cpu' runs them.");
}
