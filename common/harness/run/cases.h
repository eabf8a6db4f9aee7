#ifndef CASES_H
#define CASES_H

#include "common/harness/problem/check_case.h"
#include "common/harness/program/reason.h"
#include "common/harness/run/options.h"
#include "common/harness/run/takes.h"

/* The cases that the options ask for, shape by shape. Without --shape: all of
 * settings.json's "check" shapes, or those of its "bench" (also for --brief),
 * "count" or "race"; to "check" and "race" belong "variants", of which the
 * stage gets those that it takes. Without --distribution: all, or normal alone
 * for those. Returns false with one sentence if a name is wrong, or a shape is
 * wrong or not one that the stage takes. */
bool cases_list(case_list *list, const stage_options *options, bool is_gpu,
                const stage_description *stage, reason *why);

/* Does this kernel take all of them? If not, false with one sentence. */
bool cases_taken(const case_list *list, const stage_object *object,
                 reason *why);

#endif
