#include "tools/profile/record.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/harness/program/exit_codes.h"
#include "common/harness/record/arm.h"
#include "common/harness/record/results.h"
#include "tools/common/command.h"
#include "tools/profile/bounds.h"
#include "tools/profile/metrics.h"

enum { TEXT = 1024 };

/* What the profiler said. */
static char log_path[] = "/tmp/profile.XXXXXX";

static void interrupted(int number) {
  (void)number;
  unlink(log_path);
  _exit(130);
}

typedef struct {
  char program[TEXT];
  const char *log;
  metric_list metrics;
  char hash[128], device[256], profiler[256];
} recorder;

/* ncu lies beside nvcc, perhaps, and not on the PATH. */
static bool find_profiler(void) {
  char cuda[TEXT], path[8 * TEXT], found[TEXT];
  const char *before = getenv("PATH");
  const command ask = {{"tools/setup/cuda-home.sh"}, 1};
  if (command_answer(&ask, cuda, sizeof cuda)) {
    snprintf(path, sizeof path, "%s:%s/bin", before ? before : "", cuda);
    setenv("PATH", path, 1);
  }
  const command look = {{"sh", "-c", "command -v ncu"}, 3};
  if (command_answer(&look, found, sizeof found)) return true;
  fprintf(stderr, "profile needs Nsight Compute (ncu), which is not on the "
          "PATH.\n");
  return false;
}

static bool log_has(const recorder *r, const char *words) {
  const command look = {{"grep", "-qF", words, r->log}, 4};
  return command_run(&look, NULL) == 0;
}

/* The last lines of the log. */
static void print_log(const recorder *r) {
  const command show = {{"sh", "-c", "tail -n 5 \"$0\" >&2", r->log}, 4};
  command_run(&show, NULL);
}

static void read_info(void *state, char *line) {
  recorder *r = state;
  char *on = NULL;
  sscanf(line, "kernel hash %127s", r->hash);
  for (char *at = line; !*r->device && (at = strstr(at, " on ")); at++) on = at;
  if (on)
    snprintf(r->device, sizeof r->device, "%.*s", (int)strcspn(on + 4, ","),
             on + 4);
}

/* The first launch warms nothing that is counted; the second is profiled. */
static int launch(const recorder *r, const char *shape) {
  char *names = metrics_names(&r->metrics);
  const command c = {
      {"ncu", "--clock-control", "none", "--cache-control", "none", "--csv",
       "--print-units", "base", "--launch-skip", "1", "--launch-count", "1",
       "--kernel-name", "attention_kernel", "--metrics", names, r->program,
       "check", "--shape", shape, "--seeds", "0,1", "--distribution",
       "normal"}, 24};
  const int code = command_run(&c, r->log);
  free(names);
  return code;
}

/* The counters of one shape; NULL, with what to do printed, without them. */
static json_t *profile_shape(recorder *r, const char *shape) {
  while (launch(r, shape)) {
    if (log_has(r, "ERR_NVGPUCTRPERM"))
      fprintf(stderr, "This user may not read the GPU's counters. An "
              "administrator allows it with the module option "
              "NVreg_RestrictProfilingToAdminUsers=0.\n");
    else if (metrics_leave_out(&r->metrics, r->log))
      continue;
    else
      print_log(r);
    return NULL;
  }
  if (log_has(r, "gpu__time_duration"))
    return metrics_json(&r->metrics, r->log);
  fprintf(stderr, "The profiler counted nothing:\n");
  print_log(r);
  return NULL;
}

static bool describe(recorder *r) {
  const command info = {{r->program, "info"}, 2};
  const command version = {{"ncu", "--version"}, 2};
  if (!command_lines(&info, read_info, r) || command_run(&version, r->log)) {
    fprintf(stderr, "%s or ncu does not run.\n", r->program);
    return false;
  }
  last_line(r->log, r->profiler, sizeof r->profiler);
  return true;
}

static json_t *profile_all(recorder *r, char *const *shapes, int count) {
  json_t *all = json_object();
  for (int i = 0; i < count; i++) {
    json_t *counters = profile_shape(r, shapes[i]);
    if (!counters) {
      json_decref(all);
      return NULL;
    }
    json_object_set_new(all, shapes[i], counters);
  }
  return all;
}

static void file_name(const char *stage, const char *arm, char *name) {
  arm_file_name(stage, arm, name);
  strncat(name, ".ncu", ARM_TEXT - strlen(name) - 1);
}

static int write_profile(const recorder *r, const char *stage, const char *arm,
                         const char *folder, json_t *counters) {
  char name[ARM_TEXT];
  reason why;
  json_t *profile = json_pack(
      "{s:{s:i, s:s, s:s, s:s, s:{s:s}, s:s}, s:o}", "build_meta",
      "schema_version", RESULTS_SCHEMA, "stage", stage, "arm", arm,
      "kernel_hash", r->hash, "device", "name", r->device, "profiler",
      r->profiler, "ncu", counters);
  /* What follows from the counters stands beside them. */
  json_object_set_new(profile, "roofline", bounds_json(profile));
  file_name(stage, arm, name);
  const bool written = results_write(profile, folder, name, &why);
  if (written) {
    bounds_print(profile);
    printf("wrote %s/%s.json\n", folder, name);
  } else {
    fprintf(stderr, "%s\n", why.text);
  }
  json_decref(profile);
  return written ? EXIT_PASS : EXIT_IMPOSSIBLE;
}

int record_profile(const char *stage, const char *arm, const char *folder,
                   char *const *shapes, int count) {
  recorder r = {.log = log_path};
  reason why;
  char name[ARM_TEXT];
  if (!find_profiler()) return EXIT_IMPOSSIBLE;
  file_name(stage, arm, name);
  if (!results_ready(folder, name, &why) || !metrics_read(&r.metrics, &why)) {
    fprintf(stderr, "%s\n", why.text);
    return EXIT_IMPOSSIBLE;
  }
  snprintf(r.program, sizeof r.program, "build/gpu/%s/%s/program", stage, arm);
  const int file = mkstemp(log_path);
  if (file >= 0) close(file);
  signal(SIGINT, interrupted);
  signal(SIGTERM, interrupted);
  json_t *counters = describe(&r) ? profile_all(&r, shapes, count) : NULL;
  unlink(r.log);
  return counters ? write_profile(&r, stage, arm, folder, counters)
                  : EXIT_IMPOSSIBLE;
}
