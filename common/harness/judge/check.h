#ifndef CHECK_H
#define CHECK_H

#include <jansson.h>

#include "common/harness/judge/gates.h"
#include "common/harness/judge/reference.h"
#include "common/harness/object/object.h"
#include "common/harness/problem/check_case.h"
#include "common/harness/program/reason.h"

/* What the gates said of one kernel on one case. */
typedef struct {
  bool ran;          /* the kernel was launched and came back */
  reason why;        /* if not: the sentence */
  gates_result gates;
  lse_result lse;
  char where[256];   /* if a gate failed: where outputs are wrong, or "" */
} check_result;

/* Runs every kernel on one case, one after another, and judges each:
 * results[i] belongs to objects[i]. Returns 0, or 3 with one sentence if this
 * machine has too little memory for the case. */
int check_case_run(const stage_object *const *objects, int object_count,
                   const check_case *c, check_result *results, reason *why);

/* What check_case_run allocates on the host: inputs, output, references. */
size_t check_host_bytes(const attention_shape *shape);

#define ALL_WRONG "all of it is wrong"
/* Where outputs are wrong, in words; "" where no single one is. */
void where_wrong(char *text, size_t size, const uint16_t *o, const problem *p,
                 const references *r);

bool check_passed(const check_result *result);

/* A table on stdout: a line for each shape, with the worst figure over its
 * inputs and seeds, and a line for each case that failed. results[i] belongs
 * to list->cases[i]. Returns the number of failed cases. */
int check_print(const case_list *list, const check_result *results);

/* Adds what "shape": [B, H, S, D] leaves out, where it differs from the plain
 * case: "kv_heads", "causal": true, "key_len", "softmax_scale", "strides". */
void check_add_variant(json_t *entry, const attention_shape *shape);

/* The correctness section of a result. New reference. */
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

/* Runs the kernel at settings.json's shape. Returns 0, or 3 with one sentence
 * if this machine has too little memory. */
int drift_measure(const stage_object *object, bool is_gpu,
                  drift_result *result, reason *why);

bool drift_passed(const drift_result *result);

/* One line of the report, without its end. */
void drift_line(const drift_result *result, char *text, size_t size);

#endif
