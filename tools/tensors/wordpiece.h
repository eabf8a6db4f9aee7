#ifndef WORDPIECE_H
#define WORDPIECE_H

#include "common/harness/program/reason.h"

/* Cuts an ASCII text into the pieces of words that BERT knows, as in Wu et
 * al., arXiv:1609.08144, section 4.1: small letters, each sign a word of its
 * own, and of each word the longest piece in the list first. Writes their
 * numbers, between those of [CLS] and [SEP], at most `most` with both, and
 * returns how many; 0 with one sentence where a file cannot be read, or where
 * the text has another character than ASCII. */
int wordpiece_cut(const char *vocabulary, const char *text, int *pieces,
                  int most, reason *why);

#endif
