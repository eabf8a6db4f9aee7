/* Nsight Compute's counters of a kernel, and what they say: see
 * `profile --help`. */

#include <stdio.h>
#include <string.h>

#include "common/harness/program/exit_codes.h"
#include "common/harness/record/arm.h"
#include "common/harness/record/results.h"
#include "tools/common/command.h"
#include "tools/common/words.h"
#include "tools/profile/bounds.h"
#include "tools/profile/record.h"
#include "tools/results/recorded.h"

static const char help[] =
    "Nsight Compute's counters for one launch of a kernel, and what bounds it."
    "\v"
    "record STAGE/ARM FOLDER [SHAPE...]  profiles it at these shapes (mission "
    "and long), into FOLDER/STAGE[.ARM].ncu.json\n"
    "read STAGE/ARM [FOLDER]   the newest that is recorded\n"
    "show FILE.ncu.json        what bounds the kernel at each shape\n"
    "roofline FILE.ncu.json    the figures that follow from the counters, in "
    "JSON";

static json_t *open_profile(const char *path) {
  reason why;
  json_t *profile = results_read(path, &why);
  if (!profile) fprintf(stderr, "%s\n", why.text);
  return profile;
}

static int show(const char *path, bool as_json) {
  json_t *profile = open_profile(path);
  if (!profile) return EXIT_USAGE;
  json_t *section = bounds_json(profile);
  const bool any = json_object_size(section) > 0;
  if (!as_json)
    bounds_print(profile);
  else if (any)
    json_dumpf(section, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
  json_decref(section);
  json_decref(profile);
  if (any) return EXIT_PASS;
  fprintf(stderr, "%s holds no profiled shape.\n", path);
  return EXIT_IMPOSSIBLE;
}

static int read_recorded(const char *stage, const char *arm,
                         const char *folder) {
  char name[ARM_TEXT], path[RECORDED_PATH], hash[128] = "";
  arm_file_name(stage, arm, name);
  strncat(name, ".ncu.json", sizeof name - strlen(name) - 1);
  if (!recorded_find(name, folder, path)) {
    fprintf(stderr, "profile needs a GPU, and no profile of %s/%s is "
            "recorded.\n", stage, arm);
    return EXIT_IMPOSSIBLE;
  }
  json_t *profile = open_profile(path);
  if (!profile) return EXIT_USAGE;
  const command ask = {{"tools/results/kernel-hash.sh", stage}, 2};
  command_answer(&ask, hash, sizeof hash);
  printf("No GPU was used: this is the newest recorded profile, %s.\n", path);
  if (!recorded_holds(path, profile, hash))
    printf("The kernel has changed since: its profile may have, too.\n");
  json_decref(profile);
  return show(path, false);
}

static int run(const word_list *c) {
  static char *both[] = {"mission", "long"};
  const char *verb = c->words[0];
  char stage[ARM_TEXT];
  if (!strcmp(verb, "show")) return show(c->words[1], false);
  if (!strcmp(verb, "roofline")) return show(c->words[1], true);
  const size_t length = strcspn(c->words[1], "/");
  snprintf(stage, sizeof stage, "%.*s", (int)length, c->words[1]);
  const char *arm = c->words[1][length] ? c->words[1] + length + 1 : "default";
  if (!strcmp(verb, "read"))
    return read_recorded(stage, arm, c->count > 2 ? c->words[2] : "");
  if (!strcmp(verb, "record") && c->count > 2)
    return c->count > 3
               ? record_profile(stage, arm, c->words[2],
                                (char *const *)c->words + 3, c->count - 3)
               : record_profile(stage, arm, c->words[2], both, 2);
  fprintf(stderr, "profile: --help says what it takes.\n");
  return EXIT_USAGE;
}

int main(int argc, char **argv) {
  static const char usage[] = "VERB STAGE/ARM|FILE...";
  word_list c;
  words_parse(&c, usage, help, argc, argv);
  return run(&c);
}
