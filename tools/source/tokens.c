#include "tools/source/source.h"

#include <ctype.h>
#include <string.h>

static const char *const signs[] = {
    "<<=", ">>=", "->*", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||",  "->",  "::",  "++",  "--", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=",  "^=",  "##",  NULL};

static bool continues_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_comment(const char *at) {
  if (at[1] == '/') return at + strcspn(at, "\n");
  const char *end = strstr(at + 2, "*/");
  return end ? end + 2 : at + strlen(at);
}

/* One that is not closed ends with its line. */
static const char *skip_string(const char *at) {
  const char quote = *at++;
  while (*at && *at != quote && *at != '\n')
    at += at[0] == '\\' && at[1] ? 2 : 1;
  return *at == quote ? at + 1 : at;
}

/* 0x1F, 1'000, 1.5e-3f */
static const char *skip_number(const char *at) {
  while (continues_word(*at) || *at == '.' ||
         (*at == '\'' && continues_word(at[1])) ||
         ((*at == '+' || *at == '-') && strchr("eEpP", at[-1])))
    at++;
  return at;
}

static const char *skip_sign(const char *at) {
  for (int i = 0; signs[i]; i++)
    if (!strncmp(at, signs[i], strlen(signs[i]))) return at + strlen(signs[i]);
  return at + 1;
}

static token scan_one(const char *text, const char *at) {
  token t = {.kind = TOKEN_SIGN, .begin = (size_t)(at - text)};
  const char *end;
  if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
    t.kind = TOKEN_COMMENT;
    end = skip_comment(at);
  } else if (*at == '"' || *at == '\'') {
    t.kind = TOKEN_STRING;
    end = skip_string(at);
  } else if (isdigit((unsigned char)*at) ||
             (*at == '.' && isdigit((unsigned char)at[1]))) {
    t.kind = TOKEN_NUMBER;
    end = skip_number(at);
  } else if (continues_word(*at)) {
    t.kind = TOKEN_WORD;
    for (end = at; continues_word(*end);) end++;
  } else {
    end = skip_sign(at);
  }
  t.end = (size_t)(end - text);
  return t;
}

int tokens_scan(const char *text, token *tokens) {
  int count = 0;
  bool line_begins = true, in_directive = false;
  for (const char *at = text; *at;) {
    if (at[0] == '\\' && at[1] == '\n') {
      at += 2;
    } else if (isspace((unsigned char)*at)) {
      if (*at++ == '\n') {
        line_begins = true;
        in_directive = false;
      }
    } else {
      const bool begins = *at == '#' && line_begins;
      in_directive = in_directive || begins;
      tokens[count] = scan_one(text, at);
      tokens[count].in_directive = in_directive;
      tokens[count].begins_directive = begins;
      at = text + tokens[count++].end;
      line_begins = false;
    }
  }
  return count;
}

bool token_is(const char *text, const token *t, const char *what) {
  return t->end - t->begin == strlen(what) &&
         !memcmp(text + t->begin, what, t->end - t->begin);
}

bool tokens_alike(const char *text, const token *t, const char *other_text,
                  const token *other) {
  return t->end - t->begin == other->end - other->begin &&
         !memcmp(text + t->begin, other_text + other->begin, t->end - t->begin);
}
