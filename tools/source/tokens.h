#ifndef TOKENS_H
#define TOKENS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  TOKEN_WORD, /* a name or a keyword */
  TOKEN_NUMBER,
  TOKEN_STRING, /* or a character in quotes */
  TOKEN_SIGN,   /* an operator, a bracket, a semicolon */
  TOKEN_COMMENT
} token_kind;

typedef struct {
  token_kind kind;
  bool in_directive;     /* of a line that begins with #, and its comments */
  bool begins_directive; /* that # */
  size_t begin, end; /* in the text */
} token;

/* Cuts C, C++ or CUDA text into tokens; `tokens` has room for as many as the
 * text has characters. Returns how many there are. */
int tokens_scan(const char *text, token *tokens);

bool token_is(const char *text, const token *t, const char *what);
bool tokens_alike(const char *text, const token *t, const char *other_text,
                  const token *other);

#endif
