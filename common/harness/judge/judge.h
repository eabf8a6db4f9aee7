#pragma once

#include "common/harness/object.h"
#include "common/harness/problem.h"

/* The right answers for the rows of the output that are checked: all of them up
 * to 2^33 multiply-adds, above that an even sample of at least 2,048 rows with
 * every head and the last 32 rows of each head in it (a causal mask halves the
 * work). A row's number is head * S + position, heads counted through B and
 * H. */
typedef struct {
  int64_t count;      /* rows */
  int64_t head_dim;
  bool complete;      /* every row is in the sample */
  int64_t *row;       /* [count], ascending */
  double *exact;      /* [count][D], from the unquantised inputs; all of what
                         follows lies behind it */
  double *quantised;  /* [count][D], from the codes and scales */
  float *same;        /* [count][D], as `quantised` but in the kernel's
                         precision: fp32 sums (scores as p_rounding
                         says), P rounded, fp16 result */
  float *reach;       /* [count][D]: how far roundings of P can move a number */
  double *lse, *lse_unit; /* [count], or null: the log-sum-exp from the codes,
                             and the unit of its error: see lse_result */
} references;

bool references_new(references *r, const problem *p, p_rounding rounding,
                    bool lse, reason *why);
void references_free(references *r);

/* The rows alone: fills count, complete and row; allocates row. */
bool references_sample(references *r, const attention_shape *shape);

/* What references_new allocates, but for a few rows of each thread. */
size_t references_bytes(const attention_shape *shape);

/* The log-sum-exp that a kernel returns beside its output, against that of the
 * codes in double. Its error is that of scores: tensor cores that sum 32
 * products keep 13 bits below the largest of them and of the sum before. If
 * each of these numbers, and the sum after them, lost one unit of 2^-13, now up
 * and now down, a score would be off by sqrt(D + D / 16) such units. A row's
 * error is counted in these, a mean over its keys by their weight in softmax,
 * and 2^-18 for the logarithm's own. What is lost lies between 0 and 1 unit,
 * which makes 0.58; products of E4M3 codes have few bits to lose, and the most
 * that we saw was 0.13. The limit is 0.5. */
typedef struct {
  bool judged;
  double figure, limit; /* RMS over the sampled rows, in these units */
} lse_result;

/* `lse` is [B][H][S], all of it; rows without a finite number, in the sample or
 * not, make the figure NaN. */
lse_result lse_judge(const float *lse, const problem *p, const references *r);

bool lse_passed(const lse_result *result);

/* Each gate is a verdict of its own: a figure, and the limit it must keep.
 * FINITE          no element of the whole output is NaN or infinite, but for
 *                 those that must be NaN, since one takes part: these are
 * MAX_ABS_ERR     largest |o - exact|            \  the original project's,
 * MEAN_ABS_ERR    mean |o - exact|                > made for normal inputs,
 * PCT_BAD         share of |o - exact| > limit   /  and judging only those
 * REL_RMS         RMS(o - quantised) / RMS(quantised) of the worst head, at
 *                 most rel_rms_ratio times that of references.same
 * SIGNED_MEAN     |mean(o - quantised)|, at most its statistical noise
 * What must be NaN is judged by FINITE alone. The limits are in settings.json.
 * An absolute gate that exact arithmetic on the quantised inputs fails, or
 * nearly, or references.same, judges the formats of inputs and P and not the
 * kernel: it is not judged there, and `format` says what they cost alone. This
 * holds for well quantised inputs only, or it would excuse a bad encoder. */
typedef enum {
  GATE_FINITE,
  GATE_MAX_ABS_ERR,
  GATE_MEAN_ABS_ERR,
  GATE_PCT_BAD,
  GATE_REL_RMS,
  GATE_SIGNED_MEAN,
  GATE_COUNT
} gate;

typedef enum { NOT_JUDGED, PASSED, FAILED } verdict;

typedef struct {
  double figure[GATE_COUNT], limit[GATE_COUNT];
  double format[GATE_COUNT]; /* absolute gates: what the formats cost */
  verdict verdict[GATE_COUNT];
} gates_result;

const char *gate_name(gate g); /* max_abs_err, as in settings.json */

/* Judges `o`, the whole output [B][H][S][D] in fp16 bits. False: memory is
 * short. */
bool gates_judge(gates_result *result, const uint16_t *o, const problem *p,
                 const references *r);

/* True if every gate that was judged passed, and at least one was. */
bool gates_passed(const gates_result *result);

/* True if every scale is amax / 448, or 1, and no code has a nearer neighbour.
 * Looks at the values of the codes only, so that it can judge the encoder. */
bool problem_is_well_quantised(const problem *p);

typedef struct {
  bool ran;          /* the kernel was launched and came back */
  reason why;        /* if not: the sentence */
  gates_result gates;
  lse_result lse;
  bool beyond;       /* a number is farther off than rounding can move it */
  char where[256];   /* then, or if a gate failed: where, or "" */
} check_result;

/* Runs every kernel on one case, one after another, and judges each:
 * results[i] belongs to objects[i]. 3: too little memory. */
int check_case_run(const stage_object *const *objects, int object_count,
                   const check_case *c, check_result *results, reason *why);

#define ALL_WRONG "all of it is wrong"
/* Where outputs are wrong, in words; where no single one is, the text stays.
 * With `beyond`, wrong is what lies farther off than `reach`: one row among
 * hundreds has no weight in any gate. */
void where_wrong(char *text, size_t size, const uint16_t *o, const problem *p,
                 const references *r, bool beyond);

bool check_passed(const check_result *result);

/* A table on stdout: a line for each shape, with the worst figure over its
 * inputs and seeds, and a line for each case that failed. results[i] belongs
 * to list->cases[i]. Returns the number of failed cases. */
int check_print(const case_list *list, const check_result *results);

/* Adds what "shape": [B, H, S, D] leaves out, where it differs from the plain
 * case: "kv_heads", "causal": true, "key_len", "softmax_scale", "strides". */
void check_add_variant(json_t *entry, const attention_shape *shape);

/* New reference, as all that is named json. */
json_t *check_json(const case_list *list, const check_result *results);

/* Sums over keys that lose more the longer they are, as on tensor cores whose
 * sums keep few bits. It shows where V has a mean: the relative error at one
 * long shape, as gate REL_RMS has it. A kernel that drifts says DRIFTS in its
 * stage_support; one that drifts and does not say so fails, and so does one
 * that says so and does not drift. */
typedef struct {
  int64_t keys;
  double error; /* relative; NaN where the kernel did not run, */
  reason why;   /* and this sentence says why */
  double limit; /* of settings.json */
  bool declared;
} drift_result;

int drift_measure(const stage_object *object, bool is_gpu,
                  drift_result *result, reason *why);

bool drift_passed(const drift_result *result);

void drift_line(const drift_result *result, char *text, size_t size);
