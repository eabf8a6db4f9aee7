/* The ceilings of this GPU: checks and times the small kernels here.
 *   program check                               against plain C
 *   program measure --json DIR [--commit ID]    the same first, then times */

#include <argp.h>
#include <stdio.h>

#include "common/harness/results.h"
#include "floor/run.h"

enum { CHECK, MEASURE, FOLDER };

typedef struct {
  int verb;
  const char *json, *commit;
} floor_options;

static const struct argp_option known[] = {
    {"json", 'j', "DIR", 0, "Write DIR/floor.json", 0},
    {"commit", 'c', "ID", 0, "The source's commit, for the result", 0},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
  static const char *const verbs[] = {"check", "measure", "folder", NULL};
  floor_options *o = state->input;
  switch (key) {
  case 'j': o->json = value; break;
  case 'c': o->commit = value; break;
  case ARGP_KEY_ARG:
    o->verb = argument_verb(state, value, verbs, "check, measure and folder");
    break;
  case ARGP_KEY_NO_ARGS:
    argument_wrong(state, "Give a verb: check, measure or folder.");
    break;
  case ARGP_KEY_END:
    if (o->verb == MEASURE && !o->json)
      argument_wrong(state, "measure needs --json with the results folder.");
    break;
  default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static json_t *build_meta(const device_info *device, const char *commit) {
  const stage_object object = {.stage = "floor", .arm = "default",
                               .toggles = "", .kernel_hash = KERNEL_HASH,
                               .compiler = COMPILER, .flags = FLAGS};
  char run[64];
  meta_run_name(run, sizeof run);
  return meta_json(&object, device, commit, NULL, run);
}

int main(int argc, char **argv) {
  const struct argp parser = {
      .options = known,
      .parser = take,
      .args_doc = "check|measure|folder",
      .doc = "The ceilings of a GPU for attention.\v"
             "check    compares every kernel with plain C\n"
             "measure  checks, then times (on a GPU)\n"
             "folder   the device's folder under results/\n\n"
             "Exit status: 0 pass, 1 a kernel is wrong, 2 wrong command line, "
             "3 this machine cannot do that."};
  floor_options o = {.commit = "unknown"};
  device_info device;
  reason why;
  arguments_parse(&parser, argc, argv, &o);
  if (!device_open(&device, &why)) floor_ends(EXIT_IMPOSSIBLE, why.text);
  if (o.verb == FOLDER) {
    printf("%s\n", device.folder);
    return 0;
  }
  if (o.verb == MEASURE && !results_ready(o.json, "floor", &why))
    floor_ends(EXIT_IMPOSSIBLE, why.text);
  printf("floor on %s\n", device.name);
  const int code = floor_check_all();
  if (o.verb == CHECK) return code;
  if (code)
    floor_ends(code, "nothing was timed, because a check failed.");
  json_t *floor = json_object();
  floor_measure(floor, &device);
  json_object_set_new(floor, "build_meta", build_meta(&device, o.commit));
  if (!results_write(floor, o.json, "floor", &why))
    floor_ends(EXIT_IMPOSSIBLE, why.text);
  json_decref(floor);
  printf("wrote %s/floor.json\n", o.json);
  return 0;
}
