/* What the gates say of every impostor on one input: see `impostors --help`.
 * compare.py compares that with what is expected, and records it. */

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/harness/judge/judge.h"
#include "common/harness/launch.h"
#include "common/harness/numbers.h"

/* What is done wrong; all zero: nothing. */
typedef struct {
  float softmax_scale_error;   /* relative */
  bool no_rescale;             /* the maximum rises, the old sums stay */
  bool drop_last_tile;         /* keys from the last multiple of 32 on */
  bool neighbours_scale;       /* scales of the next head */
  bool k_untransposed;         /* K[S][D] read as if it were K[D][S] */
  bool row_shifted;            /* row i of the result is stored as row i + 1 */
  bool half_written;           /* the upper half of every row is not stored */
  bool untouched;              /* the output stays as it was */
  bool filled;                 /* all of it becomes this number */
  float fill;
  bool mean_of_v;              /* softmax where all scores are equal */
  bool half_step;              /* codes decode to half a step too much */
  bool half_table;             /* codes from 128 on decode to 0 */
  float result_bias;           /* in steps of fp16, added to the result */
  bool mask_too_wide;          /* under a mask, key i + 1 takes part in row i */
  bool wrong_group;            /* head h reads K/V head h % H_kv */
  p_rounding rounding;         /* no fault: P as this kernel rounds it */
} faults;

enum { TILE = 32, MAX_D = 256 };

/* Vector instructions where the processor has them; the sums are the same. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define VECTORISED
#endif

/* The value of each of the 256 codes. */
static void fill_table(float *table, const faults *f) {
  for (int code = 0; code < 256; code++) {
    const int exponent = code >> 3 & 15;
    const float step = ldexpf(1.0f, (exponent ? exponent : 1) - 10);
    table[code] = e4m3_decode((uint8_t)code);
    if (f->half_step) table[code] += step / 2.0f;
    if (f->half_table && code >= 128) table[code] = 0.0f;
  }
}

/* One head, decoded: kt[D][S], v[S][D]. */
typedef struct {
  int64_t s, d, keys; /* without a mask */
  bool causal;
  const faults *f;
  const float *table;
  float *kt, *v;
  float score_scale, v_scale;
} head;

static float round_p(float p, p_rounding rounding) {
  if (rounding == P_HALF) return half_decode(half_encode(p));
  if (rounding == P_E4M3) return e4m3_decode(e4m3_encode(256 * p)) / 256;
  return p;
}

VECTORISED
static void accumulate_tile(const head *h, const float *q, int64_t first,
                            int64_t keys, float *m, float *l, float *sum) {
  const int64_t left = keys - first, count = left < TILE ? left : TILE;
  float score[TILE] = {0}, top = *m;
  for (int64_t c = 0; c < h->d; c++)
    for (int64_t j = 0; j < count; j++)
      score[j] += q[c] * h->kt[c * h->s + first + j];
  for (int64_t j = 0; j < count; j++) {
    score[j] *= h->score_scale;
    top = fmaxf(top, score[j]);
  }
  const float rescale = h->f->no_rescale ? 1.0f : expf(*m - top);
  *l *= rescale;
  for (int64_t c = 0; c < h->d; c++) sum[c] *= rescale;
  for (int64_t j = 0; j < count; j++) {
    const float exact = expf(score[j] - top);
    const float p = round_p(exact, h->f->rounding);
    *l += exact;
    for (int64_t c = 0; c < h->d; c++)
      sum[c] += p * h->v[(first + j) * h->d + c];
  }
  *m = top;
}

static void store_row(const head *h, const float *sum, float l, uint16_t *o) {
  const int64_t columns = h->f->half_written ? h->d / 2 : h->d;
  for (int64_t c = 0; c < columns; c++) {
    float value = sum[c] * (h->v_scale / l);
    if (h->f->result_bias != 0.0f) {
      int exponent;
      frexpf(value, &exponent);
      value += h->f->result_bias * ldexpf(1.0f, exponent - 11);
    }
    o[c] = half_encode(value);
  }
}

static void attend_row(const head *h, int64_t row, const uint8_t *q_codes,
                       uint16_t *o) {
  const int64_t seen = row + (h->f->mask_too_wide ? 2 : 1);
  const int64_t keys = h->causal && seen < h->keys ? seen : h->keys;
  float q[MAX_D], sum[MAX_D] = {0}, m = -INFINITY, l = 0.0f;
  for (int64_t c = 0; c < h->d; c++) q[c] = h->table[q_codes[c]];
  for (int64_t first = 0; first < keys; first += TILE)
    accumulate_tile(h, q, first, keys, &m, &l, sum);
  store_row(h, sum, l, o);
}

/* The K/V head of a head; both are counted through the batches. */
static int64_t kv_head_of(const attention_args *a, const faults *f,
                          int64_t index) {
  const int64_t kv_heads = a->kv_heads;
  const int64_t batch = index / a->heads, in_batch = index % a->heads;
  return batch * kv_heads + (f->wrong_group
                                 ? in_batch % kv_heads
                                 : in_batch / (a->heads / kv_heads));
}

static void attend_head(const attention_args *a, head *h, int64_t index) {
  const int64_t s = h->s, d = h->d, start = index * s * d;
  const int64_t kv_head = kv_head_of(a, h->f, index);
  const uint8_t *k = a->k + kv_head * s * d, *v = a->v + kv_head * s * d;
  const int64_t heads = a->batch * a->heads;
  const int64_t of = h->f->neighbours_scale ? (index + 1) % heads : index;
  const int64_t of_kv =
      h->f->neighbours_scale ? kv_head_of(a, h->f, of) : kv_head;
  h->score_scale = a->q_scale[of] * a->k_scale[of_kv] * a->softmax_scale *
                   (1.0f + h->f->softmax_scale_error);
  h->v_scale = a->v_scale[of_kv];
  for (int64_t n = 0; n < s; n++)
    for (int64_t c = 0; c < d; c++) {
      const int64_t at = c * s + n;
      h->kt[at] = h->table[h->f->k_untransposed ? k[at] : k[n * d + c]];
      h->v[n * d + c] = h->table[v[n * d + c]];
    }
  for (int64_t row = 0; row < s; row++) {
    const int64_t stored = h->f->row_shifted ? (row + 1) % s : row;
    attend_row(h, row, a->q + start + row * d, a->o + start + stored * d);
  }
}

/* Attention with an online softmax over tiles of 32 keys, as the stages do it,
 * in fp32 with an fp16 result. The pointers of `a` are host memory. */
static cudaError_t attend(const attention_args *a, const faults *f) {
  const int64_t s = a->seq_len, d = a->head_dim;
  float table[256];
  bool enough = d <= MAX_D;
  for (int64_t i = 0; f->filled && i < a->batch * a->heads * s * d; i++)
    a->o[i] = half_encode(f->fill);
  if (f->filled || f->untouched) return cudaSuccess;
  fill_table(table, f);
#pragma omp parallel for schedule(dynamic) reduction(&& : enough)
  for (int64_t i = 0; i < a->batch * a->heads; i++) {
    head h = {.s = s, .d = d, .keys = s, .f = f, .table = table};
    h.causal = a->causal;
    if (f->drop_last_tile) h.keys = (s - 1) / TILE * TILE;
    h.kt = malloc((size_t)(s * d) * sizeof(float));
    h.v = malloc((size_t)(s * d) * sizeof(float));
    enough = enough && h.kt && h.v;
    if (h.kt && h.v && d <= MAX_D) attend_head(a, &h, i);
    free(h.kt);
    free(h.v);
  }
  return enough ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* A kernel that is wrong on purpose, in C, on host memory. */
typedef struct {
  const char *name; /* as the book's table shows it */
  faults faults;
  /* Where the fault lies in the inputs: spoils the codes of a problem. */
  void (*spoil)(problem *);
} impostor;

typedef struct {
  const char *shape;
  distribution distribution;
  uint64_t seed;
  float scale;
  bool json;
  p_rounding rounding; /* of all, and of the reference that sets their limits */
} command_line;

/* What a launch does wrong. */
static faults current;

/* What softmax gives if all scores are equal. */
static cudaError_t mean_v(const attention_args *a) {
  const int64_t s = a->seq_len, d = a->head_dim;
  const int64_t in_group = a->heads / a->kv_heads;
  for (int64_t i = 0; i < a->batch * a->heads; i++)
    for (int64_t c = 0; c < d; c++) {
      const uint8_t *v = a->v + i / in_group * s * d + c;
      const float scale = a->v_scale[i / in_group];
      double sum = 0.0;
      for (int64_t row = 0, keys = 0; row < s; row++) {
        for (; keys < (a->causal ? row + 1 : s); keys++)
          sum += e4m3_decode(v[keys * d]);
        a->o[(i * s + row) * d + c] =
            half_encode((float)(sum / (double)keys) * scale);
      }
    }
  return cudaSuccess;
}

static cudaError_t launch(const attention_args *a, cudaStream_t stream) {
  (void)stream;
  return current.mean_of_v ? mean_v(a) : attend(a, &current);
}

/* The code of the next larger value; 448 stays. */
static uint8_t next_up(uint8_t code) {
  if (code == 0x7E) return code;
  if (code == 0x80) return 0x01;
  return (uint8_t)(code & 0x80 ? code - 1 : code + 1);
}

/* An encoder that rounds up where it should round to nearest: half a step too
 * much on average. The kernel is blameless. */
static void round_up(problem *p) {
  const int64_t in_head = p->shape.seq_len * p->shape.head_dim;
  const size_t count = attention_shape_kv_elements(&p->shape);
  for (size_t i = 0; i < count; i++) {
    const float value = p->v[i] / p->v_scale[(int64_t)i / in_head];
    if (e4m3_decode(p->v_codes[i]) < value)
      p->v_codes[i] = next_up(p->v_codes[i]);
  }
}

static const impostor impostors[] = {
    {"control", .faults = {0}},
    {"zeros", .faults = {.filled = true}},
    {"NaN", .faults = {.filled = true, .fill = NAN}},
    {"infinity", .faults = {.filled = true, .fill = INFINITY}},
    {"stale output", .faults = {.untouched = true}},
    {"half written", .faults = {.half_written = true}},
    {"mean of V", .faults = {.mean_of_v = true}},
    {"last tile dropped", .faults = {.drop_last_tile = true}},
    {"no rescale", .faults = {.no_rescale = true}},
    {"half-step bias", .faults = {.half_step = true}},
    {"half-step bias of the encoder", .spoil = round_up},
    {"scale of the wrong head", .faults = {.neighbours_scale = true}},
    {"K untransposed", .faults = {.k_untransposed = true}},
    {"one row shifted", .faults = {.row_shifted = true}},
    {"half-filled table", .faults = {.half_table = true}},
    {"softmax scale 1 % off", .faults = {.softmax_scale_error = 0.01f}},
    {"result a third of a step high", .faults = {.result_bias = 1.0f / 3.0f}},
    {"mask one key too wide", .faults = {.mask_too_wide = true}},
    {"K/V head of another group", .faults = {.wrong_group = true}},
};
enum { IMPOSTORS = sizeof impostors / sizeof *impostors };

static void require(bool good, const char *why) {
  if (good) return;
  fprintf(stderr, "impostors: %s\n", why);
  exit(EXIT_IMPOSSIBLE);
}

/* Judges those that need the inputs spoiled so; results[i] belongs to
 * impostors[i]. Another scale than 1 is for normal inputs. */
static void run(const command_line *line, void (*spoil)(problem *),
                gates_result *results) {
  reason why = {""};
  attention_shape shape = {0};
  problem p;
  references r;
  upload u;
  require(case_parse(&shape, NULL, line->shape, &why), why.text);
  uint16_t *o = malloc(2 * attention_shape_elements(&shape));
  require(o != NULL, "too little memory");
  require(problem_new(&p, &shape, line->distribution, line->seed, &why),
          why.text);
  /* Codes do not change with the deviation, scales do. */
  for (int t = 0; t < TENSOR_COUNT && line->scale != 1.0f; t++) {
    const tensor_place its = problem_tensor(&p, t);
    for (int64_t i = 0; i < its.heads * its.rows * shape.head_dim; i++)
      (*its.values)[i] *= line->scale;
    for (int64_t i = 0; i < its.heads; i++) (*its.scales)[i] *= line->scale;
  }
  if (spoil) spoil(&p);
  require(references_new(&r, &p, line->rounding, false, &why), why.text);
  require(upload_new(&u, &p, 0, &why), why.text);
  for (int i = 0; i < IMPOSTORS; i++) {
    if (impostors[i].spoil != spoil) continue;
    current = impostors[i].faults;
    current.rounding = line->rounding;
    require(upload_run(&u, launch, o, &why), why.text);
    require(gates_judge(&results[i], o, &p, &r), "too little memory");
  }
  upload_free(&u);
  references_free(&r);
  problem_free(&p);
  free(o);
}

static const struct argp_option known[] = {
    {"json", 'j', NULL, 0, "As JSON", 0},
    {"e4m3", 'r', NULL, 0, "All round P to E4M3, as stages do from 12 on", 0},
    {"seed", 'n', "NUMBER", 0, "Of the inputs, instead of 1", 0},
    {"scale", 's', "NUMBER", 0, "Inputs so many times as large", 0},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
  command_line *line = state->input;
  switch (key) {
  case 'j': line->json = true; break;
  case 'r': line->rounding = P_E4M3; break;
  case 'n': line->seed = strtoull(value, NULL, 10); break;
  case 's': line->scale = strtof(value, NULL); break;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1) argp_usage(state);
    if (state->arg_num == 0)
      line->shape = value;
    else if ((line->distribution = distribution_parse(value)) ==
             DISTRIBUTION_COUNT)
      argument_wrong(state, "There is no distribution '%s'.", value);
    break;
  case ARGP_KEY_NO_ARGS: argp_usage(state); break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static void print_table(const command_line *line, const gates_result *results) {
  printf("%s, %s inputs, seed %llu; x: caught, -: not judged\n%-30s",
         line->shape, distribution_name(line->distribution),
         (unsigned long long)line->seed, "");
  for (int g = 0; g < GATE_COUNT; g++) printf(" %11s  ", gate_name((gate)g));
  printf("\n");
  for (int i = 0; i < IMPOSTORS; i++) {
    printf("%-30s", impostors[i].name);
    for (int g = 0; g < GATE_COUNT; g++)
      printf(" %11.3g %c", results[i].figure[g],
             "- x"[results[i].verdict[g]]);
    printf("\n");
  }
}

/* What is not finite becomes null. */
static json_t *number(double x) {
  json_t *made = json_real(x);
  return made ? made : json_null();
}

/* Each impostor's mark, figure and limit at each gate. */
static void print_json(const gates_result *results) {
  json_t *all = json_object();
  for (int i = 0; i < IMPOSTORS; i++) {
    json_t *gates = json_object();
    for (int g = 0; g < GATE_COUNT; g++) {
      const char mark[2] = {"-.x"[results[i].verdict[g]]};
      json_object_set_new(gates, gate_name((gate)g),
                          json_pack("[s, o, o]", mark,
                                    number(results[i].figure[g]),
                                    number(results[i].limit[g])));
    }
    json_object_set_new(all, impostors[i].name, gates);
  }
  json_dumpf(all, stdout, JSON_COMPACT);
  json_decref(all);
}

int main(int argc, char **argv) {
  const struct argp parser = {.options = known,
                              .parser = take,
                              .args_doc = "SHAPE [DISTRIBUTION]",
                              .doc = "Prints the verdicts on one input."};
  command_line line = {.distribution = NORMAL, .seed = 1, .scale = 1.0f};
  arguments_parse(&parser, argc, argv, &line);
  static gates_result results[IMPOSTORS];
  run(&line, NULL, results);
  run(&line, round_up, results);
  if (line.json)
    print_json(results);
  else
    print_table(&line, results);
  return EXIT_PASS;
}
