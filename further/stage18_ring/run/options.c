#include "further/stage18_ring/run/run.h"

#include <argp.h>
#include <string.h>

#include "common/harness/problem.h"

enum { KEY_COMMIT = 256, KEY_FOLDER };

static const struct argp_option known[] = {
    {"shape", 's', "SHAPE", 0,
     "B,H,S,D or, with fewer K/V heads and a causal mask, B,H:KV,S,D,causal; "
     "S is the whole sequence; repeat for several",
     0},
    {"seeds", 'r', "LIST", 0, "Seeds of the inputs, as in 0,1,2", 0},
    {"distribution", 'd', "NAME", 0,
     "normal, large-logits and so on, as in the other stages; repeatable", 0},
    {"exchange", 'e', "ARM", 0,
     "ring, serial (a ring without overlap) or all-gather; repeatable (all)",
     0},
    {"sample", 'p', "ROWS", 0,
     "check: so many rows of each rank, for sequences that are too long for "
     "the gates over all rows",
     0},
    {"multiprocessors", 'm', "N", 0,
     "How many of a GPU's multiprocessors are kept for messages (2); bench: "
     "repeat for several rings",
     0},
    {"iters", 'n', "N", 0, "bench: timed runs of each arm", 0},
    {"json", 'j', "DIR", 0, "bench: write the result into this folder", 0},
    {"folder", KEY_FOLDER, 0, 0, "info: print the device's folder name only",
     0},
    {"commit", KEY_COMMIT, "ID", 0, "The source's commit, for the result", 1},
    {0}};

static void read_verb(ring_options *o, const char *word,
                      struct argp_state *state) {
  static const char *const verbs[] = {"check", "race", "bench", "info"};
  for (int i = 0; i < 4; i++)
    if (!strcmp(word, verbs[i])) {
      o->verb = (ring_verb)i;
      return;
    }
  argument_wrong(state,
                 "There is no verb '%s'; there are check, race, bench and "
                 "info.",
                 word);
}

static exchange_arm arm_named(const char *name) {
  exchange_arm arm = RING;
  while (arm < EXCHANGES && strcmp(name, exchange_arm_name(arm))) arm++;
  return arm;
}

static error_t take(int key, char *value, struct argp_state *state) {
  ring_options *o = state->input;
  switch (key) {
  case 's': argument_add(state, &o->shapes, value); break;
  case 'd':
    if (distribution_parse(value) == DISTRIBUTION_COUNT)
      argument_wrong(state, "There is no distribution '%s'.", value);
    argument_add(state, &o->distributions, value);
    break;
  case 'e':
    if (arm_named(value) == EXCHANGES)
      argument_wrong(state,
                     "--exchange is ring, serial or all-gather, not '%s'.",
                     value);
    argument_add(state, &o->arms, value);
    break;
  case 'r':
    o->seed_count = argument_seeds(state, value, o->seeds);
    break;
  case 'p':
    o->sample = (int64_t)argument_number(state, "--sample", value, 1, 100000);
    break;
  case 'm':
    if (o->ring_count == MOST_RINGS)
      argument_wrong(state, "--multiprocessors: %d numbers at most.",
                     MOST_RINGS);
    o->multiprocessors[o->ring_count++] =
        (int)argument_number(state, "--multiprocessors", value, 1, 64);
    break;
  case 'n':
    o->iters = (int)argument_number(state, "--iters", value, 3, 100000);
    break;
  case 'j': o->json = value; break;
  case KEY_FOLDER: o->folder = true; break;
  case KEY_COMMIT: o->commit = value; break;
  case ARGP_KEY_ARG:
    if (state->arg_num > 0)
      argument_wrong(state, "One verb at a time: '%s' is one too many.", value);
    read_verb(o, value, state);
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

void ring_options_parse(ring_options *o, int argc, char **argv) {
  const struct argp parser = {
      .options = known,
      .parser = take,
      .args_doc = "[check|race|bench|info]",
      .doc =
          "One attention over the keys of several ranks: start it with "
          "mpirun.\v"
          "check  compares the output with two references (default)\n"
          "race   check with the executor's race checks, with messages that "
          "come as early and as late as they may\n"
          "bench  checks, then times on GPUs\n"
          "info   says what was built, and what is here\n\n"
          "Exit status: 0 pass, 1 a gate failed, 2 wrong command line, "
          "3 this machine cannot do that."};
  *o = (ring_options){.multiprocessors = {2}, .commit = "unknown"};
  arguments_parse(&parser, argc, argv, o);
  if (o->ring_count == 0) o->ring_count = 1;
}

int ring_options_arms(const ring_options *o, exchange_arm *arms) {
  bool wanted[EXCHANGES] = {false};
  int count = 0;
  for (int i = 0; i < o->arms.count; i++)
    wanted[arm_named(o->arms.texts[i])] = true;
  for (exchange_arm arm = RING; arm < EXCHANGES; arm++)
    if (o->arms.count == 0 || wanted[arm]) arms[count++] = arm;
  return count;
}
