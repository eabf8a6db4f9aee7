#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/harness/program.h"
#include "further/stage18_ring/ranks/ranks.h"
#include "further/stage18_ring/run/run.h"

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

static void parse(ring_options *o, int argc, char **argv) {
  const int said = dup(STDERR_FILENO);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (!is_first()) dup2(nowhere, STDERR_FILENO);
  ring_options_parse(o, argc, argv);
  dup2(said, STDERR_FILENO);
  close(said);
  close(nowhere);
}

/* What all ranks must have been given alike: all but the program's name. Of a
 * long command the end is a number only. */
static void words_of(int argc, char **argv, char *text, size_t size) {
  uint32_t hash = 5381;
  text[0] = '\0';
  for (int i = 1; i < argc; i++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", i > 1 ? " " : "", argv[i]);
    for (const char *c = argv[i]; *c; c++)
      hash = 33 * hash + (unsigned char)*c;
  }
  if (strlen(text) + 1 == size)
    snprintf(text + size - 16, 16, "... %08x", hash);
}

static void agree(int argc, char **argv) {
  char words[256];
  reason why;
  words_of(argc, argv, words, sizeof words);
  if (!ranks_agree("build", RING_BUILD,
                   "bring the same build to all machines", &why) ||
      !ranks_agree("command", words, "start all ranks with the same", &why))
    watchdog_give_up(EXIT_IMPOSSIBLE, why.text);
}

static void info(const ring_run *run) {
  for (int i = 0; i < run->place.ranks; i++) {
    ranks_meet();
    if (i != run->place.rank) continue;
    printf("rank %d of %d on %s: %s\n", i, run->place.ranks, run->place.host,
           run->device.name);
    fflush(stdout);
  }
}

static int run_verb(ring_run *run) {
  switch (run->options.verb) {
  case RING_CHECK: return run_check(run);
  case RING_RACE: return run_race(run);
  case RING_BENCH: return run_bench(run);
  case RING_INFO: info(run); return EXIT_PASS;
  }
  return EXIT_USAGE;
}

int main(int argc, char **argv) {
  ring_run run = {
      .shapes = {"1,2:1,97,64,causal", "2,2,130,128", "1,2,300,128,causal",
                 "1,1,3,64,causal", "1,3:1,50,64"}};
  reason why;
  parse(&run.options, argc, argv);
  if (run.options.folder) {
    const bool known = device_open(&run.device, &why);
    if (!known) return give_up(argv[0], EXIT_IMPOSSIBLE, why.text);
    printf("%s\n", run.device.folder);
    return EXIT_PASS;
  }
  run.place = ranks_begin("stage18_ring", &argc, &argv);
  agree(argc, argv);
  const bool here = bench_device(&run, &why);
  if (!ranks_can(here ? NULL : why.text, &why))
    watchdog_give_up(EXIT_IMPOSSIBLE, why.text);
  run.arm_count = ring_options_arms(&run.options, run.arms);
  int code = run_cases(&run, &why);
  if (code) watchdog_give_up(code, why.text);
  if (!run.stream && cudaStreamCreate(&run.stream))
    watchdog_give_up(EXIT_IMPOSSIBLE, "No stream could be made on the device.");
  code = run_verb(&run);
  case_list_free(&run.list);
  cudaStreamDestroy(run.stream);
  ranks_end();
  return code;
}
