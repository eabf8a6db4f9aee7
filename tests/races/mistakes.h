#ifndef MISTAKES_H
#define MISTAKES_H

#include <stdbool.h>

#include "common/harness/program/reason.h"

/* A line of planted.list. Places and edits are those of tools/source. */
typedef struct {
  const char *stage, *name;
  const char *place, *edit;  /* what is done to the kernel */
  const char *finding;       /* what `race` must name, and */
  const char *one, *other;   /* the two places that it must show */
} mistake;

typedef struct {
  const char *path;
  char *text;
  mistake *all;
  int count;
  reason why; /* after a function failed */
} mistakes;

/* Returns false where the file can't be read or a line has not seven fields.
 * Free the list either way. */
bool mistakes_read(mistakes *list, const char *path);
void mistakes_free(mistakes *list);

/* The mistake of that stage and name, or NULL. */
const mistake *mistakes_find(mistakes *list, const char *stage,
                             const char *name);

#endif
