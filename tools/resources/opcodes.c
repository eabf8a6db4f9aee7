#include "tools/resources/opcodes.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/command.h"

/* A line of each language, of which the last group is the opcode. */
static const char sass[] =
    "^ +/\\*[0-9a-f]{4,}\\*/ +(@!?U?P[0-9T]+ +)?([A-Z0-9_.]+)";
static const char ptx[] =
    "^[[:space:]{]*(@!?%p[0-9]+[[:space:]]+)?([a-z][a-z0-9_.:]*)[[:space:];]";

bool opcode_is(const char *word, const char *opcode) {
  const size_t length = strlen(opcode);
  return !strncmp(word, opcode, length) &&
         (word[length] == '\0' || word[length] == '.');
}

typedef struct {
  regex_t line;
  void (*take)(void *state, const char *opcode);
  void *state;
} reader;

static void read_opcode(void *state, char *line) {
  const reader *r = state;
  regmatch_t match[3];
  if (regexec(&r->line, line, 3, match, 0)) return;
  line[match[2].rm_eo] = '\0';
  r->take(r->state, line + match[2].rm_so);
}

bool opcodes_each(const char *path, const char *nvdisasm,
                  void (*take)(void *state, const char *opcode), void *state) {
  const char *ending = strrchr(path, '.');
  const bool is_cubin = ending && !strcmp(ending, ".cubin");
  const command disassemble = {{nvdisasm, "-c", path}, 3};
  reader r = {.take = take, .state = state};
  if (regcomp(&r.line, is_cubin ? sass : ptx, REG_EXTENDED)) return false;
  const bool read = is_cubin ? command_lines(&disassemble, read_opcode, &r)
                             : file_lines(path, read_opcode, &r);
  regfree(&r.line);
  return read;
}

/* ---- loops ---------------------------------------------------------------*/

typedef struct {
  char name[64];
  int at; /* instructions before it */
} label;

typedef struct {
  const char *opcode, *other;
  label *labels;
  char *has, *is_other; /* by instruction, from 1 on */
  int label_count, label_room, count, room;
  int best, first, last; /* the smallest loop so far; best 0: none */
} loops;

static void add_label(loops *l, const char *name) {
  if (l->label_count == l->label_room) {
    l->label_room = l->label_room ? 2 * l->label_room : 256;
    l->labels = realloc(l->labels, (size_t)l->label_room * sizeof *l->labels);
    if (!l->labels) abort();
  }
  label *new = &l->labels[l->label_count++];
  snprintf(new->name, sizeof new->name, "%.*s", (int)strcspn(name, ":"), name);
  new->at = l->count;
}

static void add_instruction(loops *l, bool has, bool is_other) {
  if (++l->count >= l->room) {
    l->room = l->room ? 2 * l->room : 4096;
    l->has = realloc(l->has, (size_t)l->room);
    l->is_other = realloc(l->is_other, (size_t)l->room);
    if (!l->has || !l->is_other) abort();
  }
  l->has[l->count] = has;
  l->is_other[l->count] = is_other;
}

/* A branch back to a label: a loop from there to here. */
static void end_loop(loops *l, const char *target) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(target, ")"), target);
  for (int i = 0; i < l->label_count; i++) {
    if (strcmp(l->labels[i].name, name)) continue;
    const int length = l->count - l->labels[i].at;
    if (!length || (l->best && length >= l->best)) return;
    if (!memchr(l->has + l->labels[i].at + 1, true, (size_t)length)) return;
    l->best = length;
    l->first = l->labels[i].at + 1;
    l->last = l->count;
    return;
  }
}

static void read_loop_line(void *state, char *line) {
  loops *l = state;
  if (!strncmp(line, ".L", 2) && strchr(line, ':')) {
    add_label(l, line);
    return;
  }
  const char *address = line + strspn(line, " ");
  if (address == line || strncmp(address, "/*", 2)) return;
  const char *branch = strstr(line, "BRA");
  const char *target = branch ? strstr(branch, "(.L") : NULL;
  char copy[512], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", line);
  strtok_r(copy, " \t", &rest);
  bool has = false, is_other = false;
  for (int i = 0; i < 2; i++) { /* a predicate, perhaps, and the opcode */
    const char *word = strtok_r(NULL, " \t", &rest);
    has |= word && opcode_is(word, l->opcode);
    is_other |= word && l->other && opcode_is(word, l->other);
  }
  add_instruction(l, has, is_other);
  if (target) end_loop(l, target + 1);
}

int opcodes_in_loop(const char *cubin, const char *nvdisasm,
                    const char *opcode, const char *other) {
  const command disassemble = {{nvdisasm, "-c", cubin}, 3};
  loops l = {.opcode = opcode, .other = other};
  int found = -1;
  if (command_lines(&disassemble, read_loop_line, &l) && l.best) {
    found = other ? 0 : l.best;
    for (int i = l.first; other && i <= l.last; i++) found += l.is_other[i];
  }
  free(l.labels);
  free(l.has);
  free(l.is_other);
  return found;
}
