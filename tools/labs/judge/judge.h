#ifndef JUDGE_H
#define JUDGE_H

#include <stdint.h>
#include <stdio.h>

#include "common/device/interface/attention.h"
#include "common/harness/problem.h"
#include "common/harness/program.h"

/* Reads one input of a grade, SHAPE/DISTRIBUTION/SEED/MULTIPROCESSORS, as in
 * 2,3,100,64/normal/7/8; what the shape says of the others holds. False with
 * one sentence where it is none. */
bool case_text_read(const char *text, check_case *c, reason *why);

/* The inputs of a kernel as they go from one program to another of the same
 * machine: what a kernel gets of a problem, and the number of multiprocessors
 * that the executor's device shall have. */

/* Appends one. False with one sentence where the file takes no more. */
bool inputs_write(FILE *file, const problem *p, int multiprocessors,
                  reason *why);

/* Reads the next one into `p`, of which the unquantised values stay NULL.
 * Returns 1, 0 where there is no further one, -1 with one sentence. Free the
 * problem if it was read. */
int inputs_read(FILE *file, problem *p, int *multiprocessors, reason *why);

/* What a kernel made of one input, as it goes from the program that ran it to
 * the one that judges: whether it came back, a sentence if not, and then the
 * fp16 bits of O if it did; behind it, of a kernel that returns it, the lse. */

/* Appends one; `o` is NULL where the kernel did not come back. */
bool outputs_write(FILE *file, const uint16_t *o, size_t count,
                   const reason *failed);

/* What a kernel says that it takes, in one line. */
void support_print(const attention_support *support);

/* Reads the next one, which must have `count` numbers. False with one sentence,
 * that of the kernel's failure or that the file ends here. */
bool outputs_read(FILE *file, uint16_t *o, size_t count, reason *why);

#endif
