#ifndef TOGGLES_ALLOWED_H
#define TOGGLES_ALLOWED_H

#include "tools/toggles/declared.h"

/* Does the kernel allow this arm? It is asked by its own #if and #error,
 * without what it includes, of the C++ compiler in $CXX, else g++. False with
 * the #error's words; where the compiler said something else, with that. */
bool toggles_allowed(const char *stage, const arm *a, reason *why);

/* The fewest other settings, one or two, beside which the kernel allows this
 * setting: none where it stands alone. False where there are none. */
bool toggles_beside(const toggle_list *list, const arm_setting *setting,
                    arm *others);

#endif
