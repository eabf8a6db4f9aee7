#ifndef LAB_OUTPUTS_H
#define LAB_OUTPUTS_H

#include <stdint.h>
#include <stdio.h>

#include "common/harness/program/reason.h"

/* What a kernel made of one input, as it goes from the program that ran it to
 * the one that judges: whether it came back, a sentence if not, and then the
 * fp16 bits of O if it did. */

/* Appends one; `o` is NULL where the kernel did not come back. */
bool outputs_write(FILE *file, const uint16_t *o, size_t count,
                   const reason *failed);

/* Reads the next one, which must have `count` numbers. False with one sentence,
 * that of the kernel's failure or that the file ends here. */
bool outputs_read(FILE *file, uint16_t *o, size_t count, reason *why);

#endif
