#ifndef MUTANTS_RULES_H
#define MUTANTS_RULES_H

#include "tools/mutants/list.h"

/* The rules; the last has no name. */
extern const rule rules[];

/* All mistakes that they make of a source, rule by rule in the order of the
 * table, each rule's in the order of the text. */
void rules_apply(source *s, mutants *list);

#endif
