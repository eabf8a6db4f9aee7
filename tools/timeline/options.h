#ifndef TIMELINE_OPTIONS_H
#define TIMELINE_OPTIONS_H

#include "common/harness/run/options.h"

typedef struct {
  stage_options stage;  /* shapes, seeds, iters, json, commit, resources */
  const char *trace;    /* folder for the traces, or NULL */
  int blocks;           /* that a trace shows */
} timeline_options;

/* As options_parse: fills the options, or ends the program. */
void timeline_options_parse(timeline_options *options, const char *name,
                            int argc, char **argv);

#endif
