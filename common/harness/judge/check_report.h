#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include <jansson.h>

#include "common/harness/judge/check.h"

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
