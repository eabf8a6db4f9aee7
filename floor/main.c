/* The ceilings of this GPU: checks and times the small kernels here.
 *   program check                               against plain C
 *   program measure --json DIR [--commit ID]    the same first, then times */

#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "common/harness/results.h"
#include "floor/run.h"

typedef struct {
  const char *verb, *json, *commit;
} floor_options;

static const struct argp_option known[] = {
    {"json", 'j', "DIR", 0, "Write DIR/floor.json", 0},
    {"commit", 'c', "ID", 0, "The source's commit, for the result", 0},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
  floor_options *o = state->input;
  switch (key) {
  case 'j': o->json = value; break;
  case 'c': o->commit = value; break;
  case ARGP_KEY_ARG:
    if (o->verb || (strcmp(value, "check") && strcmp(value, "measure") &&
                    strcmp(value, "folder")))
      argument_wrong(
          state, "Give one verb: check, measure or folder, not '%s'.", value);
    o->verb = value;
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

static int measure(const floor_options *o, const device_info *device) {
  reason why;
  json_t *floor = json_object();
  int code = EXIT_IMPOSSIBLE;
  if (floor_measure(floor, device, &why)) {
    json_object_set_new(floor, "build_meta", build_meta(device, o->commit));
    if (results_write(floor, o->json, "floor", &why)) code = 0;
  }
  json_decref(floor);
  if (code) return give_up("floor", code, why.text);
  printf("wrote %s/floor.json\n", o->json);
  return 0;
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
  arguments_parse(&parser, argc, argv, &o);
  if (!o.verb)
    return give_up("floor", EXIT_USAGE,
                   "Give a verb: check, measure or folder.");
  const bool timed = !strcmp(o.verb, "measure");
  if (timed && !o.json)
    return give_up("floor", EXIT_USAGE,
                   "measure needs --json with the results folder.");
  device_info device;
  reason why;
  if (!device_open(&device, &why))
    return give_up("floor", EXIT_IMPOSSIBLE, why.text);
  if (!strcmp(o.verb, "folder")) {
    printf("%s\n", device.folder);
    return 0;
  }
  if (timed && !results_ready(o.json, "floor", &why))
    return give_up("floor", EXIT_IMPOSSIBLE, why.text);
  printf("floor on %s\n", device.name);
  const int code = floor_check_all();
  if (code && timed)
    give_up("floor", code, "nothing was timed, because a check failed.");
  return code || !timed ? code : measure(&o, &device);
}
