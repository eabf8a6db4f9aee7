#ifndef CASES_H
#define CASES_H

#include "common/harness/object/object.h"
#include "common/harness/problem/check_case.h"
#include "common/harness/program/reason.h"
#include "common/harness/run/options.h"

/* The cases that the options ask for, shape by shape. Without --shape: all of
 * settings.json's "check" shapes, or those of its "bench" (also for --brief),
 * "count" or "race"; to "check" and "race" belong "variants", of which the
 * stage gets those that it takes, and what "further" has for it. Without
 * --distribution: all, or normal alone for those; without either, check has
 * the shapes of "real" with real inputs, too. In check the seed says which
 * of settings.json's numbers of multiprocessors the executor's device has.
 * Returns 0; or with one sentence 2 if a name or a shape is wrong, 3 if the
 * stage does not take a shape that was asked for. */
int cases_list(case_list *list, const stage_options *options, bool is_gpu,
               const stage_object *object, reason *why);

/* Does this kernel take all of them? If not, false with one sentence. */
bool cases_taken(const case_list *list, const stage_object *object,
                 reason *why);

#endif
