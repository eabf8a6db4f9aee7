#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <stdbool.h>

/* Programs that tools start. They read nothing: their input is empty. */

enum { COMMAND_WORDS_MAX = 64 };

/* A command, word by word, with a NULL behind the last. */
typedef struct {
  const char *words[COMMAND_WORDS_MAX + 1];
  int count;
} command;

/* Appends a word, which must outlive the command; past the last place it is
 * an error of ours, and ends the program. */
void command_add(command *c, const char *word);

/* Runs it and hands each line of its output, without the newline, to `take`
 * together with `state`; what it complains of is dropped. False where it
 * failed. */
bool command_lines(const command *c, void (*take)(void *state, char *line),
                   void *state);

/* The same of a file. False where it cannot be read. */
bool file_lines(const char *path, void (*take)(void *state, char *line),
                void *state);

/* The command line of a tool that has verbs and no options: a verb, and one or
 * more words that it is about. */

enum { WORDS_MAX = 256 };

typedef struct {
  char *words[WORDS_MAX]; /* the verb first */
  int count;              /* 2 at least */
} word_list;

/* Reads it, or ends the program: with the help, or a sentence and exit code 2.
 * `usage` shows what the words are, `help` the verbs, behind a \v. */
void words_parse(word_list *list, const char *usage, const char *help, int argc,
                 char **argv);

#endif
