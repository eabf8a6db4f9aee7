#ifndef ROWS_H
#define ROWS_H

#include "common/harness/problem/shape.h"

/* The rows of the output that are checked: all of them up to 2^33
 * multiply-adds, above that an even sample of at least 2,048 rows with every
 * head and the last 32 rows of each head in it (a causal mask halves the work).
 * A row's number is head * S + position, heads counted through B and H. */

/* How many there are; whether these are all. */
int64_t rows_count(const attention_shape *shape, bool *complete);

/* Their numbers, ascending: fills row[0..rows_count-1]. */
void rows_list(const attention_shape *shape, int64_t *row);

#endif
