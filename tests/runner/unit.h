#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>

/* One run of a test program. A script says in its first lines how it is run:
 *   # alone: WHY        with nothing beside it
 *   # never kept: WHY   its outcome is of that run alone
 *   # takes: N s        processor time, roughly; those that take most go first
 *   # for each PATTERN  once for each path that matches, with that path as its
 *                       argument; "for each PATTERN without FILE" passes over
 *                       the folders that have such a file
 *   # drawn: N          of those, check-all runs N only; tests/runner/draw.h
 * In Lua a comment begins with "-- ". */
typedef struct {
  char *program, *argument; /* argument may be NULL */
  char *name;               /* both, as one would type them */
  bool alone, never_kept, left_out;
  int takes; /* seconds */
  int drawn; /* 0: all of them */
} unit;

typedef struct {
  unit *list;
  int count;
} unit_list;

bool unit_is_script(const char *program);

/* Adds the units of a program, sorted in at the end by what they take. Of a
 * script, only those with this argument, unless it is NULL. */
void units_add(unit_list *units, const char *program, const char *argument);

/* Those that take most first, those that run alone last. */
void units_sort(unit_list *units);

void unit_free(unit *one);
void units_free(unit_list *units);

#endif
