#ifndef CHECK_H
#define CHECK_H

#include "common/harness/judge/gates.h"
#include "common/harness/judge/lse.h"
#include "common/harness/object/object.h"
#include "common/harness/problem/check_case.h"
#include "common/harness/program/reason.h"

/* What the gates said of one kernel on one case. */
typedef struct {
  bool ran;          /* the kernel was launched and came back */
  reason why;        /* if not: the sentence */
  gates_result gates;
  lse_result lse;
} check_result;

/* Runs every kernel on one case, one after another, and judges each:
 * results[i] belongs to objects[i]. Returns 0, or 3 with one sentence if this
 * machine has too little memory for the case. */
int check_case_run(const stage_object *const *objects, int object_count,
                   const check_case *c, check_result *results, reason *why);

/* What check_case_run allocates on the host: inputs, output, references. */
size_t check_host_bytes(const attention_shape *shape);

bool check_passed(const check_result *result);

#endif
