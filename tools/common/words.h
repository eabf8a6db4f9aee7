#ifndef TOOLS_WORDS_H
#define TOOLS_WORDS_H

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
