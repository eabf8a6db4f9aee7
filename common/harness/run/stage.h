#ifndef STAGE_H
#define STAGE_H

#include "common/harness/run/takes.h"

/* The whole host program: options -> problem -> launch -> gates -> timing ->
 * results. Returns the exit code: 0 pass, 1 a gate failed, 2 wrong command
 * line, 3 this machine cannot do that. */
int stage_main(const stage_description *stage, int argc, char **argv);

#endif
