#include "tests/races/mistakes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 7 };

static char *trimmed(char *text) {
  text += strspn(text, " ");
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == ' ') text[--length] = '\0';
  return text;
}

static bool read_line(mistakes *list, char *line, const char *path,
                      int number) {
  const char *fields[FIELDS + 1] = {0};
  int count = 0;
  for (char *field; (field = strsep(&line, "|"));)
    if (count++ < FIELDS) fields[count - 1] = trimmed(field);
  if (count != FIELDS)
    return refuse(&list->why, "%s:%d has %d fields, not %d.", path, number,
                  count, FIELDS);
  list->all[list->count++] = (mistake){fields[0], fields[1], fields[2],
                                       fields[3], fields[4], fields[5],
                                       fields[6]};
  return true;
}

static bool read_lines(mistakes *list, const char *path) {
  int number = 0;
  char *rest = list->text;
  for (char *line; (line = strsep(&rest, "\n"));) {
    number++;
    if (*line && *line != '#' && !read_line(list, line, path, number))
      return false;
  }
  return true;
}

bool mistakes_read(mistakes *list, const char *path) {
  size_t room = 0;
  *list = (mistakes){.path = path};
  FILE *file = fopen(path, "r");
  const bool read = file && getdelim(&list->text, &room, '\0', file) > 0;
  if (!read)
    refuse(&list->why, "Cannot read %s: %s.", path,
           file ? "it is empty" : strerror(errno));
  if (file) fclose(file);
  if (!read) return false;
  list->all = calloc(strlen(list->text) + 1, sizeof *list->all);
  return list->all && read_lines(list, path);
}

void mistakes_free(mistakes *list) {
  free(list->text);
  free(list->all);
}

const mistake *mistakes_find(mistakes *list, const char *stage,
                             const char *name) {
  for (int i = 0; i < list->count; i++)
    if (!strcmp(list->all[i].stage, stage) && !strcmp(list->all[i].name, name))
      return &list->all[i];
  refuse(&list->why, "%s, %s has no mistake '%s'.", list->path, stage, name);
  return NULL;
}
