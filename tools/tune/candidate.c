#include "tools/tune/candidate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/record/results.h"
#include "tools/common/command.h"
#include "tools/resources/report.h"

enum { PATH_SIZE = 2048 };

/* build/TARGET/STAGE/ARM/NAME */
static void path_of(const workbench *w, const char *target, const char *arm,
                    const char *name, char *path) {
  snprintf(path, PATH_SIZE, "build/%s/%s/%s/%s", target, w->stage, arm, name);
}

static void machine_code(const workbench *w, const char *arm, char *path) {
  char name[64];
  snprintf(name, sizeof name, "sm_%s.cubin", w->arch);
  path_of(w, "gpu", arm, name, path);
}

static const char *from_environment(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value && *value ? value : otherwise;
}

bool candidate_build(const workbench *w, const char *arm) {
  char arch[64], cc[512], cxx[512], program[PATH_SIZE], library[PATH_SIZE],
      cubin[PATH_SIZE], object[PATH_SIZE];
  snprintf(arch, sizeof arch, "ARCH=%s", w->arch);
  snprintf(cc, sizeof cc, "CC=%s", from_environment("CC", "gcc"));
  snprintf(cxx, sizeof cxx, "CXX=%s", from_environment("CXX", "g++"));
  command c = {{"env", "-u", "MAKEFLAGS", "-u", "MFLAGS", "-u",
                "MAKEOVERRIDES", from_environment("MAKE", "make"), "LOCKED=1",
                "--no-print-directory", arch, cc, cxx}, 13};
  path_of(w, w->target, arm, "program", program);
  command_add(&c, program);
  if (!strcmp(w->target, "gpu")) {
    path_of(w, "gpu", arm, "kernel.so", library);
    command_add(&c, library);
  }
  if (w->nvcc) {
    machine_code(w, arm, cubin);
    path_of(w, "gpu", arm, "kernel.o", object);
    command_add(&c, cubin);
    command_add(&c, object);
  }
  return command_run(&c, w->log) == 0;
}

static bool hash_code(const workbench *w, trial *t) {
  char cubin[PATH_SIZE], object[PATH_SIZE], launch[PATH_SIZE];
  char hash[128];
  machine_code(w, t->arm, cubin);
  path_of(w, "gpu", t->arm, "kernel.o", object);
  snprintf(launch, sizeof launch, "%s/launch", w->folder);
  const command take = {{"objcopy", "-O", "binary", "--only-section=.text",
                         object, launch}, 6};
  const command sum = {{"sh", "-c", "cat \"$0\" \"$1\" | sha256sum", cubin,
                        launch}, 5};
  if (command_run(&take, w->log) || !command_answer(&sum, hash, sizeof hash))
    return false;
  snprintf(t->code, sizeof t->code, "%.16s", hash);
  return true;
}

bool candidate_weigh(const workbench *w, trial *t, char *over) {
  char cubin[PATH_SIZE], report[PATH_SIZE + 8];
  resource_report r;
  machine_code(w, t->arm, cubin);
  snprintf(report, sizeof report, "%s.ptxas", cubin);
  if (!report_read(&r, report)) {
    snprintf(over, REPORT_TEXT, "no resource report of %.200s", t->arm);
    return false;
  }
  t->registers = r.registers;
  t->shared_bytes = r.shared_bytes;
  if (hash_code(w, t)) return report_over(&r, w->stage, over);
  snprintf(over, REPORT_TEXT, "no machine code of %.200s", t->arm);
  return false;
}

int candidate_check(const workbench *w, const char *arm) {
  char program[PATH_SIZE];
  path_of(w, w->target, arm, "program", program);
  command c = {{program, "check"}, 2};
  if (!strcmp(w->target, "cpu")) {
    command_add(&c, "--brief");
    for (int i = 0; i < w->option_count; i++) command_add(&c, w->options[i]);
  }
  return command_run(&c, w->log);
}

static void result_path(const workbench *w, const char *arm, char *path) {
  char name[ARM_TEXT];
  arm_file_name(w->stage, arm, name);
  snprintf(path, PATH_SIZE, "%s/%s.json", w->folder, name);
}

int candidate_bench(const workbench *w, const char *const *arms, int count) {
  enum { ARMS = 16 };
  char program[PATH_SIZE], others[ARMS][PATH_SIZE], old[PATH_SIZE];
  if (count > ARMS) count = ARMS;
  path_of(w, "gpu", arms[0], "program", program);
  command c = {{"tools/make/alone.sh", program, "bench", "--json", w->folder,
                "--commit", from_environment("COMMIT", "unknown"), "--shape",
                w->shape}, 9};
  const char *iters = from_environment("ITERS", "");
  if (*iters) {
    command_add(&c, "--iters");
    command_add(&c, iters);
  }
  for (int i = 0; i < count; i++) {
    result_path(w, arms[i], old);
    remove(old);
    if (i == 0 || !strcmp(arms[i], arms[0])) continue;
    path_of(w, "gpu", arms[i], "kernel.so", others[i]);
    command_add(&c, "--against");
    command_add(&c, others[i]);
  }
  return command_run(&c, w->log);
}

bool candidate_times(const workbench *w, const char *arm, double *p50,
                     double *noise) {
  static const char *const methods[] = {"graph", "event"};
  char path[PATH_SIZE], key[256];
  reason why;
  result_path(w, arm, path);
  json_t *result = results_read(path, &why);
  bool found = false;
  for (int i = 0; i < 2 && result && !found; i++) {
    snprintf(key, sizeof key, "perf/%s/%s/p50_us", w->shape, methods[i]);
    *p50 = results_number(result, key);
    snprintf(key, sizeof key, "perf/%s/%s/noise_us", w->shape, methods[i]);
    *noise = results_number(result, key);
    found = !isnan(*p50) && !isnan(*noise);
  }
  json_decref(result);
  return found;
}
