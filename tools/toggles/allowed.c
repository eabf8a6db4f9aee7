#include "tools/toggles/allowed.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/source/kernel_path.h"

/* A temporary file without a name, to read again from its beginning. */
static FILE *rewound(FILE *file) {
  if (file) rewind(file);
  return file;
}

/* The kernel without its #includes. */
static FILE *without_includes(const char *stage) {
  char path[512];
  kernel_path(path, sizeof path, stage);
  FILE *kernel = fopen(path, "r"), *copy = tmpfile();
  char *line = NULL;
  size_t size = 0;
  while (kernel && copy && getline(&line, &size, kernel) > 0)
    fputs(strncmp(line, "#include", 8) ? line : "\n", copy);
  free(line);
  if (kernel) fclose(kernel);
  return rewound(copy);
}

/* Runs the preprocessor from one file, its complaints into another. */
static int preprocess(const arm *a, FILE *from, FILE *said) {
  char defines[ARM_SETTINGS_MAX][72];
  const char *compiler = getenv("CXX");
  if (!compiler || !*compiler) compiler = "g++";
  /* A compiler of several words, as "ccache g++", is the shell's to part. */
  const char *arguments[ARM_SETTINGS_MAX + 8] = {
      "sh", "-c", "exec $0 -E -x c++ \"$@\" -", compiler};
  for (int i = 0; i < a->count; i++) {
    snprintf(defines[i], sizeof defines[i], "-D%s=%s", a->settings[i].name,
             a->settings[i].value);
    arguments[4 + i] = defines[i];
  }
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(fileno(from), 0);
    dup2(nowhere, 1);
    dup2(fileno(said), 2);
    execvp("sh", (char *const *)arguments);
    _exit(127);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) < 0) return -1;
  return status;
}

/* What stands in quotes behind the first #error; else the first line. */
static void read_error(FILE *said, reason *why) {
  char *line = NULL;
  size_t size = 0;
  refuse(why, "%s", "");
  while (getline(&line, &size, said) > 0) {
    const char *error = strstr(line, "#error");
    const char *from = error ? strchr(error, '"') : NULL;
    const char *to = from ? strrchr(from + 1, '"') : NULL;
    if (to) {
      refuse(why, "%.*s", (int)(to - from - 1), from + 1);
      break;
    }
    if (!*why->text) refuse(why, "%.*s", (int)strcspn(line, "\n"), line);
  }
  free(line);
}

bool toggles_allowed(const char *stage, const arm *a, reason *why) {
  FILE *kernel = without_includes(stage), *said = tmpfile();
  bool allowed = false;
  if (!kernel || !said)
    refuse(why, "No temporary file can be made.");
  else if (!(allowed = preprocess(a, kernel, said) == 0))
    read_error(rewound(said), why);
  if (kernel) fclose(kernel);
  if (said) fclose(said);
  return allowed;
}

/* Each setting that is no default, of another toggle than `of`, in turn. */
static bool next_other(const toggle_list *list, const char *of, int *at,
                       int *value, arm *others) {
  for (; *at < list->count; (*at)++, *value = 0) {
    const toggle *t = &list->toggles[*at];
    while (strcmp(t->name, of) && *value < t->value_count) {
      const char *text = t->values[(*value)++];
      if (strcmp(text, t->default_value))
        return arm_add(others, t->name, text);
    }
  }
  return false;
}

static bool allows(const toggle_list *list, const arm_setting *setting,
                   const arm *others) {
  reason why;
  arm both = *others;
  return arm_add(&both, setting->name, setting->value) &&
         toggles_allowed(list->stage, &both, &why);
}

bool toggles_beside(const toggle_list *list, const arm_setting *setting,
                    arm *others) {
  *others = (arm){.count = 0};
  if (allows(list, setting, others)) return true;
  int at = 0, value = 0;
  while (next_other(list, setting->name, &at, &value, others)) {
    if (allows(list, setting, others)) return true;
    others->count = 0;
  }
  at = value = 0;
  while (next_other(list, setting->name, &at, &value, others)) {
    int second_at = 0, second_value = 0;
    while (next_other(list, setting->name, &second_at, &second_value, others)) {
      if (allows(list, setting, others)) return true;
      others->count = 1;
    }
    others->count = 0;
  }
  return false;
}
