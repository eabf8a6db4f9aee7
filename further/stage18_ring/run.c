#include "further/stage18_ring/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/numbers.h"

#define STAGE "stage18_ring"
/* More elements of Q are judged by a sample. */
#define MOST_ELEMENTS ((size_t)1 << 26)

/* ---- a sample of rows ---- */

enum { MOST_D = 128, CODES = 256 };
/* P comes times this before it is rounded, as in the kernel. */
#define P_SHIFT 256.0

/* Of one row: squared errors by the square of the reference, and the largest
 * error. */
typedef struct {
  double error, same, most;
} row_errors;

static void decode_all(double *values) {
  for (int code = 0; code < CODES; code++)
    values[code] = (double)e4m3_decode((uint8_t)code);
}

/* The scores of one row, times the softmax scale; returns the largest. */
static double scores_of(const inputs *in, const double *value, int64_t head,
                        int64_t kv_head, int64_t position, int64_t keys,
                        double *score) {
  const int64_t d = in->shape.head_dim;
  const double scale = (double)inputs_scale(in, TENSOR_Q, head) *
                       (double)inputs_scale(in, TENSOR_K, kv_head) *
                       shard_softmax_scale(&in->shape);
  uint8_t q[MOST_D], k[MOST_D];
  double most = -INFINITY;
  inputs_row(in, TENSOR_Q, head, position, q);
  for (int64_t n = 0; n < keys; n++) {
    inputs_row(in, TENSOR_K, kv_head, n, k);
    double sum = 0.0;
    for (int64_t c = 0; c < d; c++) sum += value[q[c]] * value[k[c]];
    score[n] = sum * scale;
    if (!(score[n] <= most)) most = score[n];
  }
  return most;
}

/* One row against double, and against P in E4M3. */
static row_errors judge_row(const ring_case *its, const double *value,
                            int64_t head, int64_t row, double *score) {
  const shard *s = &its->share;
  const inputs *in = &its->in;
  const int64_t d = in->shape.head_dim;
  const int64_t position = plan_position(&s->plan, s->rank, row);
  const int64_t keys = in->shape.causal ? position + 1 : in->shape.seq_len;
  const int64_t kv_head = attention_shape_kv_head(&in->shape, head);
  const double most =
      scores_of(in, value, head, kv_head, position, keys, score);
  const double scale = (double)inputs_scale(in, TENSOR_V, kv_head);
  double right[MOST_D] = {0.0}, same[MOST_D] = {0.0}, sum = 0.0;
  uint8_t v[MOST_D];
  for (int64_t n = 0; n < keys; n++) {
    inputs_row(in, TENSOR_V, kv_head, n, v);
    const double p = exp(score[n] - most);
    const double rounded = value[e4m3_encode((float)(P_SHIFT * p))] / P_SHIFT;
    sum += p;
    for (int64_t c = 0; c < d; c++) {
      right[c] += p * value[v[c]];
      same[c] += rounded * value[v[c]];
    }
  }
  row_errors all = {0.0, 0.0, 0.0};
  double reference = 0.0;
  for (int64_t c = 0; c < d; c++) {
    const double exact = scale * right[c] / sum;
    const float near = (float)(scale * same[c] / sum);
    const double got = (double)half_decode(
        its->o[(head * s->rows + row) * d + c]);
    const double rounded = (double)half_decode(half_encode(near));
    all.error += (got - exact) * (got - exact);
    all.same += (rounded - exact) * (rounded - exact);
    all.most = fmax(all.most, fabs(got - exact));
    reference += exact * exact;
  }
  if (reference > 0.0 || all.error > 0.0) {
    all.error /= reference;
    all.same /= reference;
  }
  return all;
}

/* All ranks call it together. */
static int64_t sample_judge(const ring_case *c, check_result *result) {
  const shard *s = &c->share;
  const int64_t heads = s->shape.batch * s->shape.heads;
  const int64_t all = heads * s->rows;
  const int64_t rows = c->sample < all ? c->sample : all;
  double value[CODES], error = 0.0, same = 0.0, most = 0.0;
  decode_all(value);
#pragma omp parallel for schedule(dynamic) reduction(+ : error, same) \
    reduction(max : most)
  for (int64_t i = 0; i < rows; i++) {
    double *score = ranks_memory((size_t)s->shape.seq_len, sizeof *score);
    /* The first sample is the last row, and the last one the first; a stride
     * of heads would miss some. */
    const int64_t at = all - 1 - (rows > 1 ? i * (all - 1) / (rows - 1) : 0);
    const row_errors one =
        judge_row(c, value, at / s->rows, at % s->rows, score);
    error += one.error;
    same += one.same;
    most = fmax(most, one.most);
    free(score);
  }
  const double total = ranks_sum((double)rows);
  const double figure = sqrt(ranks_sum(error) / total);
  const double limit =
      settings_get()->rel_rms_ratio * sqrt(ranks_sum(same) / total);
  gates_result *gates = &result->gates;
  gates->figure[GATE_REL_RMS] = figure;
  gates->limit[GATE_REL_RMS] = limit;
  gates->verdict[GATE_REL_RMS] =
      isfinite(figure) && figure <= limit ? PASSED : FAILED;
  gates->figure[GATE_MAX_ABS_ERR] = ranks_largest(most); /* not judged */
  result->ran = true;
  return (int64_t)total;
}

/* ---- an input and its output ---- */

/* Slots for received keys that the arms which were asked for need. */
static int slots_of(const ring_run *run) {
  int most = 0;
  for (int a = 0; a < run->arm_count; a++) {
    const int slots = exchange_arm_slots(run->arms[a], run->place.ranks);
    if (slots > most) most = slots;
  }
  return most;
}

/* Rows of each rank to judge; 0 means all. */
static int64_t sample_of(const ring_run *run, const attention_shape *shape) {
  if (run->options.sample) return run->options.sample;
  return attention_shape_elements(shape) > MOST_ELEMENTS ? SAMPLE_ROWS : 0;
}

void case_new(ring_case *c, const ring_run *run, const check_case *about) {
  reason why;
  const attention_shape *shape = &about->shape;
  const int rank = run->place.rank;
  const ring_plan plan = {run->place.ranks, shape->seq_len, shape->causal};
  const int64_t sample = sample_of(run, shape);
  *c = (ring_case){.about = about, .sample = sample};
  watchdog_works("making the inputs");
  if (sample) {
    c->in = inputs_new(shape, about->seed);
  } else {
    ranks_can(problem_new(&c->whole, shape, about->distribution, about->seed,
                          &why),
              &why);
    c->in = inputs_of_problem(&c->whole);
  }
  shard_new(&c->share, &c->in, &plan, rank, slots_of(run));
  c->o = ranks_memory(2 * collect_elements(&c->share, rank), 1);
  if (rank == 0 && !sample) {
    watchdog_works("computing the references");
    ranks_can(references_new(&c->right, &c->whole, P_E4M3, false, &why), &why);
  }
  ranks_meet();
}

void case_free(ring_case *c) {
  references_free(&c->right);
  shard_free(&c->share);
  if (c->whole.q) problem_free(&c->whole);
  inputs_free(&c->in);
  free(c->o);
  *c = (ring_case){0};
}

int64_t case_judge(ring_case *c, check_result *result) {
  const shard *s = &c->share;
  const size_t bytes = 2 * collect_elements(s, s->rank);
  *result = (check_result){0};
  if (cudaMemcpy(c->o, s->out, bytes, cudaMemcpyDeviceToHost))
    watchdog_fails("A rank's output does not come back.");
  if (c->sample) {
    watchdog_works("judging a sample of rows");
    return sample_judge(c, result);
  }
  uint16_t *o = collect_output(s, c->o);
  if (o) {
    watchdog_works("judging the output");
    result->ran = gates_judge(&result->gates, o, &c->whole, &c->right) ||
                  refuse(&result->why, "Too little memory to judge.");
  }
  free(o);
  return 0;
}

/* ---- cases ---- */

int run_cases(ring_run *run, reason *why) {
  static const attention_support support = {
      .head_dims = {64, 128}, .takes = TAKES_CAUSAL | TAKES_GROUPED};
  static const stage_object object = {.stage = STAGE, .support = &support};
  static const stage_description nothing_more = {0};
  stage_options *o = &run->options.inputs;
  const bool given = o->distributions.count > 0;
  if (!o->shapes.count) o->shapes = run->shapes;
  if (!given && run->options.verb == RING_CHECK)
    o->distributions =
        (text_list){{"normal", "large-logits", "mixed-scales"}, 3};
  if (o->seed_count == 0) o->seed_count = 1;
  o->brief = true;
  const int code = cases_list(&run->list, o, run->device.is_gpu, &object,
                              &nothing_more, why);
  const int all = run->list.count;
  run->list.count = 0;
  for (int i = 0; i < all; i++) {
    check_case c = run->list.cases[i];
    c.multiprocessors = 0;
    /* What is judged by a sample has normal inputs alone. */
    if (given || c.distribution == NORMAL || !sample_of(run, &c.shape))
      run->list.cases[run->list.count++] = c;
  }
  return code;
}

/* ---- one run ---- */

static exchange *watched;

static const char *failure_of_exchange(void) {
  return exchange_failure(watched);
}

exchange *run_exchange(const ring_run *run, exchange_arrival arrival,
                       int multiprocessors) {
  const exchange_options options = {.rank = run->place.rank,
                                    .ranks = run->place.ranks,
                                    .compute = run->stream,
                                    .arrival = arrival,
                                    .multiprocessors = multiprocessors};
  if (run->place.ranks == 1) return NULL;
  watchdog_works("connecting with the other ranks");
  exchange *x = exchange_open(&options);
  watchdog_asks(NULL);
  watched = x;
  watchdog_asks(failure_of_exchange);
  watchdog_works("going on");
  return x;
}

void run_exchange_end(exchange *x) {
  watchdog_asks(NULL);
  exchange_close(x);
}

void run_must(const ring_run *run, cudaError_t error) {
  if (error)
    watchdog_fails("Rank %d's device fails: %s.", run->place.rank,
                   cudaGetErrorString(error));
}

void run_once(ring_run *run, ring_case *c, exchange *x, exchange_arm arm,
              marks *times) {
  run_must(run, shard_poison(&c->share, run->stream));
  watchdog_works("computing %s", c->about->name);
  attend(&c->share, x, arm, run->stream, times);
  if (run->device.is_gpu) watchdog_device("computing %s", c->about->name);
  run_must(run, cudaStreamSynchronize(run->stream));
  watchdog_works("going on");
}

static void print_title(const ring_run *run, exchange_arm arm) {
  printf(STAGE " on %d rank%s, %s", run->place.ranks,
         run->place.ranks == 1 ? "" : "s", run->device.name);
  if (run->place.ranks > 1) printf(", exchange: %s", exchange_arm_name(arm));
  printf("\n");
}

/* ---- check ---- */

int run_check(ring_run *run) {
  const int count = run->list.count;
  check_result *results = /* [arm][case] */
      ranks_memory((size_t)(run->arm_count * count), sizeof *results);
  exchange *x =
      run_exchange(run, WHEN_IT_COMES, run->options.multiprocessors[0]);
  for (int i = 0; i < count; i++) {
    ring_case c;
    const check_case *about = &run->list.cases[i];
    case_new(&c, run, about);
    for (int a = 0; a < run->arm_count; a++) {
      run_once(run, &c, x, run->arms[a], NULL);
      const int64_t rows = case_judge(&c, &results[a * count + i]);
      if (rows && a == 0 && run->place.rank == 0)
        printf("%s: %lld rows sampled\n", about->name, (long long)rows);
    }
    case_free(&c);
  }
  int failed = 0;
  for (int a = 0; a < run->arm_count && run->place.rank == 0; a++) {
    print_title(run, run->arms[a]);
    failed += check_print(&run->list, results + a * count);
    printf("\n");
  }
  free(results);
  failed = (int)ranks_largest(failed);
  run_exchange_end(x);
  return failed ? EXIT_FAILED : EXIT_PASS;
}
