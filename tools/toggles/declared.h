#ifndef TOGGLES_DECLARED_H
#define TOGGLES_DECLARED_H

#include "common/harness/program/reason.h"
#include "common/harness/record/arm.h"

/* The toggles of one stage, as its kernel.cu declares them:
 *   // toggle TILE_N: 32 64 (detail)
 *   #define TILE_N 64
 * Behind the values stands the layer of the search that tries them; without
 * one it is "structure". */

enum { TOGGLES_MAX = ARM_SETTINGS_MAX, TOGGLE_VALUES_MAX = 16 };

typedef struct {
  char name[48], layer[24];
  char default_value[16];
  char values[TOGGLE_VALUES_MAX][16]; /* as declared, the default among them */
  int value_count;
} toggle;

typedef struct {
  const char *stage;
  toggle toggles[TOGGLES_MAX];
  int count;
} toggle_list;

/* Reads STAGE/kernel.cu. `stage` must outlive the list. False with one
 * sentence where there is no such kernel, or a declaration is no such. */
bool toggles_read(toggle_list *list, const char *stage, reason *why);

/* The arm that NAME=VALUE settings make. False with one sentence on a toggle or
 * a value that the stage does not have, and on two values for one toggle. */
bool toggles_arm(const toggle_list *list, char *const *settings, int count,
                 arm *made, reason *why);

/* Does the kernel allow this arm? It is asked by its own #if and #error,
 * without what it includes, of the C++ compiler in $CXX, else g++. False with
 * the #error's words; where the compiler said something else, with that. */
bool toggles_allowed(const char *stage, const arm *a, reason *why);

/* The fewest other settings, one or two, beside which the kernel allows this
 * setting: none where it stands alone. False where there are none. */
bool toggles_beside(const toggle_list *list, const arm_setting *setting,
                    arm *others);

#endif
