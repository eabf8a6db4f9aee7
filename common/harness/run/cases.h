#ifndef CASES_H
#define CASES_H

#include "common/harness/run/options.h"
#include "common/harness/problem/problem.h"
#include "common/harness/run/stage.h"

/* One input to check a kernel on. */
typedef struct {
  char name[48]; /* "mission", or "2,3,100,64" */
  attention_shape shape;
  distribution distribution;
  uint64_t seed;
} check_case;

typedef struct {
  check_case *cases;
  int count;
} case_list;

/* The cases that the options ask for, shape by shape. Without --shape: all of
 * settings.json's "check" shapes, or those of its "bench" (also for --brief),
 * "count" or "race"; to "check" and "race" belong "variants", of which the
 * stage gets those that it takes. Without --distribution: all, or normal alone
 * for those. Returns false with one sentence if a name is wrong, or a shape is
 * wrong or not one that the stage takes. */
bool cases_list(case_list *list, const stage_options *options, bool is_gpu,
                const stage_description *stage, char *why, size_t why_size);
void cases_free(case_list *list);

/* Does this kernel take all of them? If not, false with one sentence. */
bool cases_taken(const case_list *list, const stage_object *object, char *why,
                 size_t why_size);

#endif
