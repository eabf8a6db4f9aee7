#ifndef DRIFT_H
#define DRIFT_H

#include "common/harness/judge/check.h"

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
