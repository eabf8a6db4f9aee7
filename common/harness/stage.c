#include "common/harness/stage.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include "common/harness/judge/judge.h"
#include "common/harness/results.h"
#include "common/harness/timing.h"

typedef struct {
  stage_options options;
  device_info device;
  const stage_object *objects[ARMS_MAX];
  int object_count;
  case_list list;
  check_result *results[ARMS_MAX]; /* [object][case] */
  char run[64];                    /* the name of this run */
  char skipped[256]; /* why there was no memory for wide strides */
  reason why;
} stage_run;

/* A result is written whole or not at all, so nothing is lost here. */
static void interrupted(int number) {
  (void)number;
  static const char text[] = "\nInterrupted: no result was written.\n";
  if (write(2, text, sizeof text - 1) < 0) _exit(130);
  _exit(130);
}

static int fail(const stage_run *s, int code) {
  return give_up(stage_object_get()->stage, code, s->why.text);
}

static void print_title(const stage_run *s, const stage_object *object) {
  printf("%s%s%s on %s", object->stage, *object->toggles ? " " : "",
         object->toggles, s->device.name);
  if (s->device.is_gpu)
    printf(", compute capability %d.%d", s->device.capability / 10,
           s->device.capability % 10);
  printf("\n");
}

/* The toggles that the object carries must be those it was asked for. */
static bool toggles_arrived(stage_run *s, const stage_object *object) {
  char have[768], wanted[ARM_TEXT], pattern[ARM_TEXT + 2], *rest = NULL;
  snprintf(have, sizeof have, " %s ", object->toggles);
  arm_settings(object->arm, wanted, sizeof wanted);
  for (const char *toggle = strtok_r(wanted, " ", &rest); toggle;
       toggle = strtok_r(NULL, " ", &rest)) {
    snprintf(pattern, sizeof pattern, " %s ", toggle);
    if (!strstr(have, pattern))
      return refuse(&s->why,
                    "The toggle %s never reached the compiler: the object "
                    "says '%s'.",
                    toggle, object->toggles);
  }
  return true;
}

static int run_info(stage_run *s) {
  const stage_object *object = s->objects[0];
  if (s->options.folder) {
    printf("%s\n", s->device.folder);
    return EXIT_PASS;
  }
  print_title(s, object);
  printf("what         %s\n", this_stage.summary);
  printf("arm          %s\nkernel hash  %s\ncompiler     %s\nflags        %s\n",
         object->arm, object->kernel_hash, object->compiler, object->flags);
  printf("memory       %.1f GiB free of %.1f GiB\n",
         (double)s->device.free_bytes / (1 << 30),
         (double)s->device.total_bytes / (1 << 30));
  return EXIT_PASS;
}

/* A check of all inputs asks for it, and one of inputs that show it. */
static bool asks_for_drift(const stage_options *o) {
  if (o->verb != VERB_CHECK || o->brief) return false;
  for (int i = 0; i < o->distributions.count; i++)
    if (distribution_parse(o->distributions.texts[i]) == OFFSET_VALUES)
      return true;
  return o->distributions.count == 0 && o->shapes.count == 0;
}

static int run_drift(stage_run *s, const stage_object *object) {
  char text[1200];
  drift_result result;
  /* Few multiprocessors: none shares the keys of a row with another. */
  device_set_multiprocessors(settings_get()->multiprocessors[0]);
  const int code = drift_measure(object, s->device.is_gpu, &result, &s->why);
  if (code) return fail(s, code);
  drift_line(&result, text, sizeof text);
  printf("%s\n", text);
  return drift_passed(&result) ? EXIT_PASS : EXIT_FAILED;
}

static int run_gates(stage_run *s) {
  check_result of_case[ARMS_MAX];
  for (int i = 0; i < s->object_count; i++) {
    s->results[i] = calloc((size_t)s->list.count, sizeof *s->results[i]);
    if (!s->results[i]) return EXIT_IMPOSSIBLE;
  }
  const int all = s->list.count;
  phase_begin("gates", all);
  for (int c = 0; c < s->list.count; c++) {
    check_case *one = &s->list.cases[c];
    if (one->excuse) continue;
    device_set_multiprocessors(one->multiprocessors);
    const int code =
        check_case_run(s->objects, s->object_count, one, of_case, &s->why);
    if (code && one->axis && one->shape.layout == LAYOUT_WIDE) {
      snprintf(s->skipped, sizeof s->skipped, "%s", s->why.text);
      one->excuse = s->skipped;
      continue;
    }
    /* Not to be shown where it changed nothing. */
    if (!device_multiprocessors_asked()) one->multiprocessors = 0;
    if (code) {
      phase_end();
      return fail(s, code);
    }
    for (int i = 0; i < s->object_count; i++) s->results[i][c] = of_case[i];
    phase_step();
    /* Else the next case fails, and its words hide this one's. */
    if (device_is_lost()) s->list.count = c + 1;
  }
  phase_end();
  int failed = 0;
  for (int i = 0; i < s->object_count; i++) {
    print_title(s, s->objects[i]);
    const int of_arm = check_print(&s->list, s->results[i]);
    failed += of_arm;
    if (device_is_lost()) {
      device_explain();
      printf("%d of %d cases run: after such a failure nothing else can. "
             "race may name the line.\n",
             s->list.count, all);
    } else if (!of_arm && asks_for_drift(&s->options)) {
      const int code = run_drift(s, s->objects[i]);
      if (code == EXIT_IMPOSSIBLE) return code;
      failed += code != EXIT_PASS;
    }
    printf("\n");
  }
  return failed ? EXIT_FAILED : EXIT_PASS;
}

enum { NAME_SIZE = 256 };

/* "stage1_cp_async" or, of another arm, "stage1_cp_async.USE_CP_ASYNC-0" */
static void result_name(const stage_run *s, int i, char *name) {
  const stage_object *o = s->objects[i];
  const bool plain = !strcmp(o->arm, "default");
  snprintf(name, NAME_SIZE - 16, "%s%s%s", o->stage, plain ? "" : ".",
           plain ? "" : o->arm);
  if (s->options.verb == VERB_COUNT)
    strcat(name, ".count");
  else if (s->options.flush_l2)
    strcat(name, ".cold");
}

static bool can_write(stage_run *s) {
  const stage_verb verb = s->options.verb;
  if (!s->options.json || (verb != VERB_BENCH && verb != VERB_COUNT))
    return true;
  for (int i = 0; i < s->object_count; i++) {
    char name[NAME_SIZE];
    result_name(s, i, name);
    if (!results_ready(s->options.json, name, &s->why)) return false;
  }
  return true;
}

static int write_result(stage_run *s, int i, const char *section,
                        json_t *value) {
  char name[NAME_SIZE];
  result_name(s, i, name);
  json_t *meta = meta_json(s->objects[i], &s->device, s->options.commit,
                           s->options.resources.texts[i], s->run);
  json_t *result = json_pack("{s:o, s:O}", "build_meta", meta, section, value);
  if (s->results[i])
    json_object_set_new(result, "correctness",
                        check_json(&s->list, s->results[i]));
  const bool written = results_write(result, s->options.json, name, &s->why);
  json_decref(result);
  if (!written) return fail(s, EXIT_IMPOSSIBLE);
  printf("wrote %s/%s.json\n", s->options.json, name);
  return EXIT_PASS;
}

static int run_bench(stage_run *s) {
  if (!s->device.is_gpu) {
    refuse(&s->why, "bench needs a GPU: the CPU executor predicts no GPU's "
                    "time.");
    return fail(s, EXIT_IMPOSSIBLE);
  }
  int code = run_gates(s);
  if (code) {
    fflush(stdout);
    fprintf(stderr, "%s: nothing was timed, because a gate failed.\n",
            stage_object_get()->stage);
    return code;
  }
  json_t *perf[ARMS_MAX];
  for (int i = 0; i < s->object_count; i++) perf[i] = json_object();
  code = bench_run(s->objects, s->object_count, &s->list, s->options.iters,
                   s->options.flush_l2, perf, &s->why);
  if (code) fail(s, code);
  for (int i = 0; i < s->object_count; i++) {
    if (!code && s->options.json) code = write_result(s, i, "perf", perf[i]);
    json_decref(perf[i]);
  }
  return code;
}

static int run_instruments(stage_run *s) {
  if (!instruments_ready(&s->why)) return fail(s, EXIT_IMPOSSIBLE);
  json_t *counters = s->options.verb == VERB_COUNT ? json_object() : NULL;
  print_title(s, s->objects[0]);
  int code = instruments_run(s->objects[0], &s->list, s->options.order,
                             counters, &s->why);
  if (code == EXIT_IMPOSSIBLE) fail(s, code);
  if (!code && s->options.json && counters)
    code = write_result(s, 0, "counters", counters);
  json_decref(counters);
  return code;
}

static int (*const run[])(stage_run *) = {
    [VERB_CHECK] = run_gates,       [VERB_BENCH] = run_bench,
    [VERB_COUNT] = run_instruments, [VERB_RACE] = run_instruments,
    [VERB_INFO] = run_info};

typedef const stage_object *object_function(void);

/* The libraries that --against names follow the program's own kernel, and stay
 * open to its end. Returns how many kernels there are; 0: it cannot be. */
static int open_arms(const stage_object **objects, const stage_options *options,
                     reason *why) {
  const int count = options->against.count;
  if (count + 1 > ARMS_MAX) {
    refuse(why, "At most %d arms are timed together.", ARMS_MAX);
    return 0;
  }
  for (int i = 0; i < count; i++) {
    void *library = dlopen(options->against.texts[i], RTLD_NOW | RTLD_LOCAL);
    object_function *get = NULL;
    if (library) *(void **)&get = dlsym(library, "stage_object_get");
    if (!get) {
      refuse(why, "Cannot open the arm: %s.", dlerror());
      return 0;
    }
    objects[i + 1] = get();
  }
  return count + 1;
}

static int open_run(stage_run *s) {
  s->objects[0] = stage_object_get();
  if (!device_open(&s->device, &s->why)) return fail(s, EXIT_IMPOSSIBLE);
  if (s->device.is_gpu && s->options.multiprocessors) {
    refuse(&s->why, "A GPU has the multiprocessors that it has: "
                    "--multiprocessors is for the CPU executor.");
    return fail(s, EXIT_IMPOSSIBLE);
  }
  s->object_count = open_arms(s->objects, &s->options, &s->why);
  if (s->object_count == 0) return fail(s, EXIT_USAGE);
  for (int i = 0; i < s->object_count; i++)
    if (!toggles_arrived(s, s->objects[i])) return fail(s, EXIT_FAILED);
  const int code = cases_list(&s->list, &s->options, s->device.is_gpu,
                              s->objects[0], &this_stage, &s->why);
  if (code) return fail(s, code);
  for (int i = 1; i < s->object_count; i++)
    if (!cases_taken(&s->list, s->objects[i], &s->why))
      return fail(s, EXIT_IMPOSSIBLE);
  return EXIT_PASS;
}

int main(int argc, char **argv) {
  stage_run s = {.object_count = 0};
  options_parse(&s.options, stage_object_get()->stage, this_stage.summary, argc,
                argv);
  signal(SIGINT, interrupted);
  meta_run_name(s.run, sizeof s.run);
  int code = open_run(&s);
  if (!code && !can_write(&s)) code = fail(&s, EXIT_IMPOSSIBLE);
  if (!code) code = run[s.options.verb](&s);
  for (int i = 0; i < s.object_count; i++) free(s.results[i]);
  free(s.list.cases);
  return code;
}
