#ifndef CASE_TEXT_H
#define CASE_TEXT_H

#include "common/harness/problem/check_case.h"
#include "common/harness/program/reason.h"

/* Reads one input of a grade, SHAPE/DISTRIBUTION/SEED/MULTIPROCESSORS, as in
 * 2,3,100,64/normal/7/8; drift is the input of judge/drift.h. False with one
 * sentence where it is none. */
bool case_text_read(const char *text, check_case *c, reason *why);

#endif
