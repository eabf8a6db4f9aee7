#ifndef GATES_H
#define GATES_H

#include <stdbool.h>
#include <stdio.h>

/* Makes JSON of lines STAGE|NAME|VERDICT, for the book: which mistakes pass the
 * gates on a GPU. Returns false if a line is another one, or `to` is full. */
bool gates_write(FILE *verdicts, FILE *to);

#endif
