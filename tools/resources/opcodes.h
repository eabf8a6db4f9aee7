#ifndef RESOURCES_OPCODES_H
#define RESOURCES_OPCODES_H

#include <stdbool.h>

/* Instructions of one file: machine code (.cubin, which takes nvdisasm) or PTX,
 * each counted where it stands: a loop's body once. */

/* Is the word that opcode, or of its kind? LDG is LDG.E.128, not LDGSTS. */
bool opcode_is(const char *word, const char *opcode);

/* Hands every instruction's opcode to `take`. False where the file cannot be
 * read or disassembled. `nvdisasm` is that program's path; PTX needs none. */
bool opcodes_each(const char *path, const char *nvdisasm,
                  void (*take)(void *state, const char *opcode), void *state);

/* The instructions of the smallest loop that has the opcode; of these, if
 * `other` is not NULL, those that are it. A loop is what lies between a label
 * and a branch back to it. -1 where there is none. */
int opcodes_in_loop(const char *cubin, const char *nvdisasm,
                    const char *opcode, const char *other);

#endif
