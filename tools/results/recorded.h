#ifndef RESULTS_RECORDED_H
#define RESULTS_RECORDED_H

#include <jansson.h>
#include <stdbool.h>

/* Where recorded results are: ROOT/DEVICE/DATE, and ROOT/DEVICE/DATE/PART for
 * what belongs to one chapter. */

enum { RECORDED_PATH = 1024 };

typedef struct {
  char (*paths)[RECORDED_PATH];
  int count;
} recorded_folders;

/* All of them, the newest date first, a run of all stages before its parts.
 * The caller frees the list. */
recorded_folders recorded_list(const char *root);
void recorded_free(recorded_folders *folders);

/* The newest file of that name, in RECORDED_PATH bytes; in `folder` alone, if
 * that is not empty. False where there is none. */
bool recorded_find(const char *name, const char *folder, char *path);

/* Is what `path` holds about the kernel of that hash, or, by the ledger that
 * carry.sh keeps of its day, about one of the same machine code? */
bool recorded_holds(const char *path, const json_t *result, const char *hash);

#endif
