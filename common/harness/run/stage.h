#ifndef STAGE_H
#define STAGE_H

#include "common/device/interface/attention.h"
#include "common/harness/object/object.h"
#include "common/harness/problem/check_case.h"
#include "common/harness/problem/shape.h"
#include "common/harness/program/reason.h"
#include "common/harness/run/options.h"

/* What a stage's driver.c tells the harness; the rest its kernel.cu says in
 * stage_support. */
typedef struct {
  const char *summary; /* half a sentence for --help */
  /* Both end with a NULL: shapes that check and race run beside all stages'
   * own, and which of settings.json's "excuses" the kernel has. */
  const char *shapes[8], *excuses[8];
} stage_description;

/* The whole host program: options -> problem -> launch -> gates -> timing ->
 * results. Returns the exit code: 0 pass, 1 a gate failed, 2 wrong command
 * line, 3 this machine cannot do that. */
int stage_main(const stage_description *stage, int argc, char **argv);

/* Does a kernel with this support take the shape `name`? If not, false with one
 * sentence, whose subject is `who`: "This stage". */
bool takes_shape(const attention_support *support, const char *who,
                 const attention_shape *shape, const char *name, reason *why);

/* Opens the shared libraries that --against names. objects[0] is already the
 * program's own kernel; the others follow it. Returns how many there are now,
 * or 0 with one sentence. The libraries stay open to the program's end. */
int arms_open(const stage_object **objects, const stage_options *options,
              reason *why);

/* The cases that the options ask for, shape by shape. Without --shape: all of
 * settings.json's "check" shapes, or those of its "bench" (also for --brief),
 * "count" or "race"; to "check" and "race" belong "variants", of which the
 * stage gets those that it takes, and its own shapes. Without
 * --distribution: all, or normal alone for those; without either, check has
 * the shapes of "real" with real inputs, too, and the cases of "axes", each
 * with the first seed. In check the seed says which of settings.json's numbers
 * of multiprocessors the executor's device has.
 * Returns 0; or with one sentence 2 if a name or a shape is wrong, 3 if the
 * stage does not take a shape that was asked for. */
int cases_list(case_list *list, const stage_options *options, bool is_gpu,
               const stage_object *object, const stage_description *stage,
               reason *why);

/* Does this kernel take all of them? If not, false with one sentence. */
bool cases_taken(const case_list *list, const stage_object *object,
                 reason *why);

#endif
