#ifndef COMMAND_H
#define COMMAND_H

#include <stdio.h>

/* Writes what a command of the shell prints to a file; nothing where it cannot
 * be run. */
void command_write(FILE *to, const char *command);

/* The same as a text, to be freed; ends the program if memory is short. */
char *command_output(const char *command);

#endif
