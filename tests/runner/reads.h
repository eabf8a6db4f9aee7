#ifndef READS_H
#define READS_H

#include <stdbool.h>

/* Which files of the tree a test read: found out by strace. A test that copies
 * the tree with tar has read none by that; what it reads in the copy counts as
 * the tree's file of that name. What a copy builds anew is made of what was
 * read, and is no file of the tree. */
typedef struct {
  char **path; /* from the tree's root, sorted, each once */
  int count;
} reads;

/* Can strace be used here? */
bool reads_possible(void);

/* The words to put before a command so that what it opens is listed in a file,
 * whose name comes next; NULL at the end. */
extern const char *const reads_command[];

/* What the list says. The tree is where this process is. */
void reads_load(reads *r, const char *list);

void reads_free(reads *r);

#endif
