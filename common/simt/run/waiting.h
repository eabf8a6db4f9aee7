#ifndef WAITING_H
#define WAITING_H

#include "common/simt/run/finding.h"

/* Lists in the finding all threads of a block that wait, by what they wait for
 * and where, for a block in which nobody can go on. */
void waiting_list(const block *b, finding *f);

#endif
