#ifndef MUTANTS_LIST_H
#define MUTANTS_LIST_H

#include "tools/source/edit.h"

typedef struct mutants mutants;
typedef struct rule rule;

/* A rule that makes mistakes of a kernel's own source: its finder is shown one
 * statement after the other of what runs on the GPU, and adds to the list what
 * can be made of it. */
struct rule {
  const char *name;
  void (*find)(source *s, const statement *st, const rule *r, mutants *list);
  const char *const *where; /* what it looks for, as its finder reads it */
  const char *what;         /* what it does there, as its finder reads it */
  const char *sentence;     /* on the mistake; %s is the code */
  bool orders;              /* of what puts the threads' accesses in order */
};

typedef struct {
  const rule *by;
  const region *where; /* NULL outside all regions */
  int line;
  size_t begin; /* of the code that the sentence shows */
  char *sentence;
  char *text; /* the whole source with the mistake, */
  size_t length;
} mutant;

struct mutants {
  mutant *all;
  int count;
};

/* Adds what these edits make, if nothing in the list is the same text. The code
 * from begin to end stands in the sentence. Frees the edits. */
void mutants_add(mutants *list, source *s, const rule *by, edit *edits,
                 int count, size_t begin, size_t end);

/* The code from begin to end. */
typedef struct {
  size_t begin, end;
} span;

/* The same with one edit: `text` takes the place of `what`, and the sentence
 * shows `shown`. */
void mutants_change(mutants *list, source *s, const rule *by, span what,
                    const char *text, span shown);

/* And where the sentence shows what `text` takes the place of. */
void mutants_replace(mutants *list, source *s, const rule *by, size_t begin,
                     size_t end, const char *text);

void mutants_free(mutants *list);

#endif
