#include "tests/runner/reads.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ROOTS = 64, MOST_PROCESSES = 256 };

const char *const reads_command[] = {
    "strace", "-f",     "-qq",
    "--seccomp-bpf",    "-y",
    "-s",     "4096",   "-e",
    "trace=open,openat,execve",
    "-e",     "signal=none",
    "-o",     NULL};

/* No outcome depends on these: git's own files, what was kept, and what other
 * programs than the tests' own write. */
static const char *const left_out[] = {
    ".git",         ".deps",      "build/.lock",           "build/ccache/",
    "build/tests/kept/", "build/browser/", "results/cpu-executor/"};

typedef struct {
  long process[MOST_PROCESSES];
  int count;
} process_list;

typedef struct {
  reads *found;
  char root[MOST_ROOTS][PATH_MAX]; /* the tree, and copies of it */
  int roots;
  process_list copying; /* they run tar */
  process_list writing; /* in a call of theirs that has not returned */
} reader;

bool reads_possible(void) {
  return system("strace -f -qq --seccomp-bpf -y -o /dev/null true "
                ">/dev/null 2>&1") == 0;
}

static int place_of(const reads *r, const char *path) {
  int low = 0, high = r->count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (strcmp(r->path[middle], path) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void add(reads *r, const char *path) {
  const int place = place_of(r, path);
  if (place < r->count && !strcmp(r->path[place], path)) return;
  struct stat about;
  if (stat(path, &about) || !S_ISREG(about.st_mode)) return;
  for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
    if (!strncmp(path, left_out[i], strlen(left_out[i]))) return;
  r->path = realloc(r->path, ((size_t)r->count + 1) * sizeof *r->path);
  if (!r->path) abort();
  memmove(r->path + place + 1, r->path + place,
          (size_t)(r->count - place) * sizeof *r->path);
  r->path[place] = strdup(path);
  r->count++;
}

/* A file by its full name, or by a name from the root of some copy. */
static void add_name(reader *r, const char *name) {
  char full[PATH_MAX];
  if (*name != '/' && !realpath(name, full)) return;
  if (*name != '/') name = full;
  for (int i = 0; i < r->roots; i++) {
    const size_t length = strlen(r->root[i]);
    if (!strncmp(name, r->root[i], length) && name[length] == '/')
      add(r->found, name + length + 1);
  }
}

static bool has(const process_list *list, long process) {
  for (int i = 0; i < list->count; i++)
    if (list->process[i] == process) return true;
  return false;
}

static void put(process_list *list, long process, bool in) {
  for (int i = 0; i < list->count; i++)
    if (list->process[i] == process)
      list->process[i--] = list->process[--list->count];
  if (in && list->count < MOST_PROCESSES)
    list->process[list->count++] = process;
}

/* The text between two quotes; false if there is none. */
static bool quoted(const char *text, char name[PATH_MAX]) {
  const char *begin = strchr(text, '"'), *end = begin;
  if (begin) end = strchr(++begin, '"');
  if (!end || end - begin >= PATH_MAX) return false;
  snprintf(name, PATH_MAX, "%.*s", (int)(end - begin), begin);
  return true;
}

static void read_start(reader *r, long process, const char *line) {
  char name[PATH_MAX];
  if (strstr(line, " = -1 ") || !quoted(line, name)) return;
  const char *base = strrchr(name, '/');
  const bool copies = !strcmp(base ? base + 1 : name, "tar");
  put(&r->copying, process, copies);
  add_name(r, name);
  const char *to = copies ? strstr(line, "\"-C\", ") : NULL;
  if (to && r->roots < MOST_ROOTS && quoted(to + 6, name))
    strcpy(r->root[r->roots++], name);
}

/* The name that strace shows behind the number of an open file. Where calls
 * overlap, a line says how one began and another, "<... openat resumed>) = 3<",
 * with more blanks, how it ended. */
static void read_open(reader *r, long process, char *line) {
  const bool begins = strstr(line, "<unfinished ...>");
  char *result = strstr(line, begins ? "<unfinished" : "resumed>");
  const bool writes = strstr(line, "O_WRONLY") ||
                      (!begins && result && has(&r->writing, process));
  put(&r->writing, process, begins && writes);
  if (begins || writes) return;
  result = strstr(result ? result : line, ") ");
  char *name = result ? strstr(result, "= ") : NULL;
  char *end = strrchr(line, '>');
  if (!name || !(name = strchr(name, '<')) || end <= name) return;
  *end = '\0';
  add_name(r, name + 1);
}

static void read_line(reader *r, char *line) {
  char *call = line;
  const long process = strtol(line, &call, 10);
  call += strspn(call, " ");
  if (!strncmp(call, "execve(", 7))
    read_start(r, process, call);
  else if (!has(&r->copying, process))
    read_open(r, process, call);
}

void reads_load(reads *result, const char *list) {
  *result = (reads){0};
  reader *r = calloc(1, sizeof *r);
  FILE *file = fopen(list, "r");
  char *line = NULL;
  size_t size = 0;
  if (r && file && getcwd(r->root[0], PATH_MAX)) {
    r->roots = 1;
    r->found = result;
    while (getline(&line, &size, file) > 0) read_line(r, line);
  }
  free(line);
  free(r);
  if (file) fclose(file);
}

void reads_free(reads *r) {
  for (int i = 0; i < r->count; i++) free(r->path[i]);
  free(r->path);
  *r = (reads){0};
}
