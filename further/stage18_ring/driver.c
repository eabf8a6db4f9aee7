#include "further/stage18_ring/run.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the command line ---- */

enum { KEY_COMMIT = 256 };

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
    {"commit", KEY_COMMIT, "ID", 0, "The source's commit, for the result", 1},
    {0}};

static const char *const verbs[] = {"check", "race", "bench", "folder", NULL};

static error_t take(int key, char *value, struct argp_state *state) {
  ring_options *o = state->input;
  switch (key) {
  case 's': argument_add(state, &o->inputs.shapes, value); break;
  case 'd': argument_add(state, &o->inputs.distributions, value); break;
  case 'e': {
    int arm = RING;
    while (arm < EXCHANGES && strcmp(value, exchange_arm_name(arm))) arm++;
    if (arm == EXCHANGES)
      argument_wrong(state,
                     "--exchange is ring, serial or all-gather, not '%s'.",
                     value);
    o->exchanges |= 1u << arm;
    break;
  }
  case 'r':
    o->inputs.seed_count = argument_seeds(state, value, o->inputs.seeds);
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
  case KEY_COMMIT: o->commit = value; break;
  case ARGP_KEY_ARG:
    o->verb = (ring_verb)argument_verb(state, value, verbs,
                                       "check, race, bench and folder");
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

/* Of several ranks, the first alone says what is wrong with the command. */
static bool is_first(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                      "PMIX_RANK", "SLURM_PROCID"};
  for (int i = 0; i < 4; i++) {
    const char *rank = getenv(names[i]);
    if (rank) return !strcmp(rank, "0");
  }
  return true;
}

static void options_of(ring_options *o, int argc, char **argv) {
  const struct argp parser = {
      .options = known,
      .parser = take,
      .args_doc = "[check|race|bench|folder]",
      .doc =
          "One attention over the keys of several ranks: start it with "
          "mpirun.\v"
          "check  compares the output with two references (default)\n"
          "race   check with the executor's race checks, with messages that "
          "come as early and as late as they may\n"
          "bench  checks, then times on GPUs\n"
          "folder the device's folder under results/\n\n"
          "Exit status: 0 pass, 1 a gate failed, 2 wrong command line, "
          "3 this machine cannot do that."};
  FILE *const said = stderr;
  *o = (ring_options){.multiprocessors = {2}, .commit = "unknown"};
  if (!is_first()) stderr = fopen("/dev/null", "w");
  arguments_parse(&parser, argc, argv, o);
  stderr = said;
  if (o->ring_count == 0) o->ring_count = 1;
}

/* All ranks must have been given the same: all but the program's name. */
static void agree(int argc, char **argv) {
  char words[RANKS_TEXT] = "";
  for (int i = 1; i < argc; i++)
    add_text(words, sizeof words, "%s%s", i > 1 ? " " : "", argv[i]);
  ranks_agree("build", RING_BUILD, "bring the same build to all machines");
  ranks_agree("command", words, "start all ranks with the same");
}

int main(int argc, char **argv) {
  static int (*const does[])(ring_run *) = {
      [RING_CHECK] = run_check, [RING_RACE] = run_race,
      [RING_BENCH] = run_bench};
  ring_run run = {
      .shapes = {{"1,2:1,97,64,causal", "2,2,130,128", "1,2,300,128,causal",
                  "1,1,3,64,causal", "1,3:1,50,64"}, 5}};
  reason why;
  options_of(&run.options, argc, argv);
  if (run.options.verb == RING_FOLDER) {
    if (!device_open(&run.device, &why))
      return give_up(argv[0], EXIT_IMPOSSIBLE, why.text);
    printf("%s\n", run.device.folder);
    return EXIT_PASS;
  }
  run.place = ranks_begin("stage18_ring", &argc, &argv);
  agree(argc, argv);
  ranks_can(bench_device(&run, &why), &why);
  for (exchange_arm arm = RING; arm < EXCHANGES; arm++)
    if (!run.options.exchanges || run.options.exchanges & 1u << arm)
      run.arms[run.arm_count++] = arm;
  int code = run_cases(&run, &why);
  if (code) watchdog_give_up(code, "%s", why.text);
  if (!run.stream && cudaStreamCreate(&run.stream))
    watchdog_give_up(EXIT_IMPOSSIBLE, "No stream could be made on the device.");
  code = does[run.options.verb](&run);
  free(run.list.cases);
  cudaStreamDestroy(run.stream);
  ranks_end();
  return code;
}
