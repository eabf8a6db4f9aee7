#ifndef CHECK_H
#define CHECK_H

#include <jansson.h>

#include "common/harness/run/cases.h"
#include "common/harness/judge/gates.h"
#include "common/harness/object/object.h"

/* What the gates said of one kernel on one case. */
typedef struct {
  bool ran;          /* the kernel was launched and came back */
  char why[256];     /* if not: the sentence */
  gates_result gates;
} check_result;

/* Runs every kernel on one case, one after another, and judges each:
 * results[i] belongs to objects[i]. Returns 0, or 3 with one sentence if this
 * machine has too little memory for the case. */
int check_case_run(const stage_object *const *objects, int object_count,
                   const check_case *c, p_rounding rounding,
                   check_result *results, char *why, size_t why_size);

bool check_passed(const check_result *result);

/* A table on stdout: a line for each shape, with the worst figure over its
 * inputs and seeds, and a line for each case that failed. results[i] belongs
 * to list->cases[i]. Returns the number of failed cases. */
int check_print(const case_list *list, const check_result *results);

/* Adds what "shape": [B, H, S, D] leaves out, where it differs from the plain
 * case: "kv_heads", and "causal": true. */
void check_add_variant(json_t *entry, const attention_shape *shape);

/* The correctness section of a result. New reference. */
json_t *check_json(const case_list *list, const check_result *results);

#endif
