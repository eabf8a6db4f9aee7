#include "tools/timeline/timeline.h"

#include <argp.h>
#include <stdio.h>

enum { KEY_TRACE = 256, KEY_BLOCKS, KEY_COMMIT, KEY_RESOURCES };

static const struct argp_option known[] = {
    {"shape", 's', "SHAPE", 0, "As for the stage's own program; repeatable", 0},
    {"seeds", 'r', "SEED", 0, "Seed of the inputs (0)", 0},
    {"iters", 'n', "N", 0, "Timed launches with and without stamps", 0},
    {"json", 'j', "DIR", 0, "Write the summary as JSON into this folder", 0},
    {"trace", KEY_TRACE, "DIR", 0, "Write a trace of each shape there", 0},
    {"blocks", KEY_BLOCKS, "N", 0, "Blocks in a trace (4)", 0},
    {"commit", KEY_COMMIT, "ID", 0, "The source's commit, for the summary", 1},
    {"resources", KEY_RESOURCES, "LIST", 0,
     "The compiler's report: of the kernel, then of that with stamps", 1},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
  timeline_options *t = state->input;
  stage_options *o = &t->stage;
  text_list *list = key == 's' ? &o->shapes : &o->resources;
  switch (key) {
  case KEY_RESOURCES:
  case 's': argument_add(state, list, value); break;
  case 'r':
    o->seeds[0] = argument_number(state, "--seeds", value, 0, 1000000);
    break;
  case 'n':
    o->iters = (int)argument_number(state, "--iters", value, 10, 1000000);
    break;
  case 'j': o->json = value; break;
  case KEY_TRACE: t->trace = value; break;
  case KEY_BLOCKS:
    t->blocks = (int)argument_number(state, "--blocks", value, 1, 1000);
    break;
  case KEY_COMMIT: o->commit = value; break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

void timeline_options_parse(timeline_options *options, const char *name,
                            int argc, char **argv) {
  static char text[512];
  snprintf(text, sizeof text, "When %s's warps begin which phase: gates with "
           "and without stamps, on a GPU what the stamps cost, then one "
           "launch.\vExit status: 0 pass, 1 a check failed, 2 wrong command "
           "line, 3 this machine cannot do that.", name);
  const struct argp parser = {.options = known, .parser = take, .doc = text};
  *options = (timeline_options){
      .stage = {.verb = VERB_BENCH, .commit = "unknown", .seed_count = 1},
      .blocks = 4};
  arguments_parse(&parser, argc, argv, options);
}
