#ifndef PROGRAM_H
#define PROGRAM_H

/* Included first, by the compiler's -include, into a CUDA program that has its
 * own main: the checks begin before main, and what they have found is printed
 * when it ends. Findings make exit code 0 a 1. */

extern "C" int simt_program_begin(void);
[[maybe_unused]] static const int simt_program_begun = simt_program_begin();

#endif
