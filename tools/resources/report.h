#ifndef RESOURCES_REPORT_H
#define RESOURCES_REPORT_H

#include <stdbool.h>
#include <stddef.h>

/* What ptxas says that a kernel uses. Of several functions in one file, the
 * most registers and shared memory, and the sum of stacks and of spills. */
typedef struct {
  int registers, shared_bytes, stack_bytes, spill_bytes;
} resource_report;

enum { REPORT_TEXT = 256 };

/* Reads the compiler's words of one file. False where it has no report. */
bool report_read(resource_report *r, const char *path);

/* "registers=N shared_bytes=N stack_bytes=N spill_bytes=N", as the harness
 * takes it, in REPORT_TEXT bytes. */
void report_text(const resource_report *r, char *text);

/* The limits of the stage's budget in common/harness/settings.json that are
 * exceeded, " over budget: registers=128", in REPORT_TEXT bytes; "" where it
 * keeps all. False, with one sentence there, if the stage has no budget. */
bool report_over(const resource_report *r, const char *stage, char *over);

#endif
