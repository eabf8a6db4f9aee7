#include "common/harness/run/options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/problem/settings.h"

enum { KEY_COMMIT = 256, KEY_RESOURCES, KEY_BRIEF, KEY_FOLDER };

static const struct argp_option known[] = {
    {"shape", 's', "SHAPE", 0,
     "small, mission, long, odd, large, B,H,S,D or, with fewer K/V heads, "
     "B,H:KV,S,D; behind the numbers may stand ,causal ,keys=700 ,scale=0.3 "
     ",strides=padded (permuted, wide) ,inputs=NAME ,multiprocessors=2; repeat "
     "for several", 0},
    {"seeds", 'r', "LIST", 0, "Seeds of the inputs, as in 0,1,2", 0},
    {"distribution", 'd', "NAME", 0,
     "normal, large-logits, dominant-key, constant-rows, mixed-scales, "
     "zero-head or, only where asked for, offset-values, real, far-below, "
     "peak, step-up, tiny, nan-q, nan-k and nan-v; repeat for several",
     0},
    {"order", 'o', "ORDER", 0,
     "race: one order of warps and blocks only: forward, backward, or the seed "
     "of a random one, 2 or more", 0},
    {"multiprocessors", 'm', "N", 0,
     "How many multiprocessors the CPU executor's device has, in place of the "
     "numbers in settings.json",
     0},
    {"iters", 'n', "N", 0, "Timed launches of each arm (500)", 0},
    {"flush-l2", 'f', 0, 0, "Time with a cold L2 cache", 0},
    {"against", 'a', "KERNEL.so", 0,
     "Another arm to check and to time in turn with this one; repeatable", 0},
    {"json", 'j', "DIR", 0, "Write the result as JSON into this folder", 0},
    {"target", 't', "gpu|cpu", 0,
     "Fail unless this program was built for that target", 0},
    {"brief", KEY_BRIEF, 0, 0, "check: the shapes and inputs of bench only", 0},
    {"folder", KEY_FOLDER, 0, 0, "info: print the device's folder name only",
     0},
    {"commit", KEY_COMMIT, "ID", 0, "The source's commit, for the result", 1},
    {"resources", KEY_RESOURCES, "LIST", 0,
     "The compiler's resource report, for the result", 1},
    {0}};

static void read_verb(stage_options *o, const char *word,
                      struct argp_state *state) {
  static const char *const verbs[] = {"check", "bench", "count", "race",
                                      "info"};
  for (int i = 0; i < 5; i++)
    if (!strcmp(word, verbs[i])) {
      o->verb = (stage_verb)i;
      return;
    }
  argument_wrong(state,
                 "There is no verb '%s'; there are check, bench, count, race "
                 "and info.",
                 word);
}

static error_t take(int key, char *value, struct argp_state *state) {
  stage_options *o = state->input;
  switch (key) {
  case 's': argument_add(state, &o->shapes, value); break;
  case 'd': argument_add(state, &o->distributions, value); break;
  case 'a': argument_add(state, &o->against, value); break;
  case 'r':
    o->seed_count = argument_seeds(state, value, o->seeds);
    break;
  case 'n': {
    const uint64_t n = argument_number(state, "--iters", value, 10, UINT64_MAX);
    if (n > 1000000) argument_wrong(state, "--iters is at most 1000000.");
    o->iters = (int)n;
    break;
  }
  case 'm':
    o->multiprocessors = (int)argument_number(
        state, "--multiprocessors", value, 1, MULTIPROCESSORS_MAX);
    break;
  case 'f': o->flush_l2 = true; break;
  case 'o':
    if (strcmp(value, "forward") && strcmp(value, "backward"))
      argument_number(state, "--order, if not forward or backward,", value, 2,
                      UINT64_MAX);
    o->order = value;
    break;
  case 'j': o->json = value; break;
  case 't':
    if (strcmp(value, "gpu") && strcmp(value, "cpu"))
      argument_wrong(state, "--target is gpu or cpu, not '%s'.", value);
    o->target = value;
    break;
  case KEY_BRIEF: o->brief = true; break;
  case KEY_FOLDER: o->folder = true; break;
  case KEY_COMMIT: o->commit = value; break;
  case KEY_RESOURCES: argument_add(state, &o->resources, value); break;
  case ARGP_KEY_ARG:
    if (state->arg_num > 0)
      argument_wrong(state, "One verb at a time: '%s' is one too many.", value);
    read_verb(o, value, state);
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

const char *options_resources(const stage_options *options, int arm) {
  const text_list *list = &options->resources;
  return arm < list->count ? list->texts[arm] : NULL;
}

void options_parse(stage_options *options, const char *name,
                   const char *summary, int argc, char **argv) {
  static char text[1024];
  snprintf(text, sizeof text,
           "%s: FP8 attention forward, %s.\v"
           "check  compares the kernel's output with two references (default)\n"
           "bench  checks, then times the kernel on a GPU\n"
           "count  counts memory and tensor-core operations by source line\n"
           "race   looks for races and unfinished copies\n"
           "info   says what was built, and what device is here\n\n"
           "count and race need a program that was built with the CPU "
           "executor's instrumentation: `make` builds and picks the right "
           "one.\n\n"
           "Exit status: 0 pass, 1 a gate failed, 2 wrong command line, "
           "3 this machine cannot do that.",
           name, summary);
  const struct argp parser = {.options = known,
                              .parser = take,
                              .args_doc = "[check|bench|count|race|info]",
                              .doc = text};
  *options = (stage_options){.verb = VERB_CHECK, .commit = "unknown"};
  arguments_parse(&parser, argc, argv, options);
}
