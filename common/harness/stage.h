#ifndef STAGE_H
#define STAGE_H

#include "common/harness/reference.h"

/* What a stage's driver.c tells the harness about its kernel. */
typedef struct {
  const char *name;    /* the stage's folder */
  const char *summary; /* half a sentence for --help */
  int head_dims[4];    /* the D that the kernel takes, ended by 0 */
  p_rounding p_rounding; /* what the kernel rounds P to before P.V */
} stage_description;

/* The whole host program: options -> problem -> launch -> gates -> timing ->
 * results. Returns the exit code: 0 pass, 1 a gate failed, 2 wrong command
 * line, 3 this machine cannot do that. */
int stage_main(const stage_description *stage, int argc, char **argv);

#endif
