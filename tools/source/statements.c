#include "tools/source/source.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *text;
  const token *tokens;
  char *open; /* brackets: ( [ { of an initialiser, b of a block */
  int depth;
  int first, before; /* of the statement under way, or -1; the last token */
  bool is_rest;      /* what follows a block inside a statement: no statement */
  statement *found;
  int found_count;
} reader;

static bool is(const reader *r, int i, const char *what) {
  return token_is(r->text, &r->tokens[i], what);
}

static bool is_one_of(const reader *r, int i, const char *const words[]) {
  for (; *words; words++)
    if (is(r, i, *words)) return true;
  return false;
}

static bool is_code(const reader *r, int i) {
  return r->tokens[i].kind != TOKEN_COMMENT && !r->tokens[i].in_directive;
}

/* Past `template <...>`, if the statement begins with it. */
static int skip_template(const reader *r, int last) {
  int i = r->first, depth = 0;
  if (!is(r, i, "template")) return i;
  for (i++; i < last; i++) {
    depth += is(r, i, "<") - is(r, i, ">");
    if (depth == 0) return i + 1;
  }
  return i;
}

/* struct NAME {, template <...> struct NAME { */
static bool defines_type(const reader *r, int brace) {
  static const char *const types[] = {"struct", "class", "union", "enum",
                                      "namespace", NULL};
  bool named = false;
  for (int i = skip_template(r, brace); i < brace; i++) {
    if (!is_code(r, i)) continue;
    if (is(r, i, "=") || is(r, i, "(")) return false;
    named = named || is_one_of(r, i, types);
  }
  return named;
}

/* ) -> TYPE { */
static bool ends_return_type(const reader *r, int brace) {
  int i = brace - 1;
  static const char *const ends[] = {"->", ")", "=", NULL};
  while (i > r->first && !is_one_of(r, i, ends)) i--;
  return i > r->first && is(r, i, "->") && is(r, i - 1, ")");
}

static bool opens_block(const reader *r, int brace) {
  static const char *const before[] = {")",    "]",     ":",        "else",
                                       "do",   "const", "noexcept", "try",
                                       "enum", "mutable", NULL};
  if (r->first < 0 || is_one_of(r, r->before, before)) return true;
  if (is(r, r->first, "extern") && r->tokens[r->before].kind == TOKEN_STRING)
    return true;
  return defines_type(r, brace) || ends_return_type(r, brace);
}

/* Past a bracket's partner; past the end where it has none. */
static int skip_brackets(const reader *r, int i, int last) {
  int depth = 0;
  for (; i <= last; i++) {
    if (!is_code(r, i)) continue;
    depth += is(r, i, "(") - is(r, i, ")");
    if (depth == 0) return i + 1;
  }
  return i;
}

static int next_code(const reader *r, int i, int last) {
  while (i < last && !is_code(r, i)) i++;
  return i;
}

static int core_of(const reader *r, int first, int last) {
  static const char *const heads[] = {"if", "for", "while", "switch", NULL};
  int i = first;
  for (;;) {
    i = next_code(r, i, last);
    if (i >= last) return last;
    if (is(r, i, "else") || is(r, i, "do")) {
      i++;
    } else if (is_one_of(r, i, heads)) {
      i = next_code(r, i + 1, last);
      if (is(r, i, "constexpr")) i = next_code(r, i + 1, last);
      i = skip_brackets(r, i, last);
    } else {
      return i;
    }
  }
}

static void end_statement(reader *r, statement_kind kind, int last) {
  if (r->first >= 0 && !r->is_rest)
    r->found[r->found_count++] =
        (statement){kind, r->first, last, core_of(r, r->first, last)};
  r->first = -1;
  r->is_rest = false;
}

static char top(const reader *r) {
  return r->depth ? r->open[r->depth - 1] : 'b';
}

static void open_brace(reader *r, int i) {
  if (opens_block(r, i)) {
    end_statement(r, STATEMENT_HEAD, i);
    r->open[r->depth++] = 'b';
  } else {
    r->open[r->depth++] = '{';
  }
}

/* Returns true if it ends a block. */
static bool close_brace(reader *r) {
  while (top(r) == '(' || top(r) == '[') r->depth--;
  const bool of_block = top(r) == 'b';
  if (r->depth) r->depth--;
  return of_block;
}

static void read_token(reader *r, int i) {
  const char c = r->text[r->tokens[i].begin];
  const bool alone = r->tokens[i].end - r->tokens[i].begin == 1 &&
                     r->tokens[i].kind == TOKEN_SIGN;
  if (alone && c == '{') {
    open_brace(r, i);
    if (top(r) == 'b') return;
  } else if (alone && c == '}' && close_brace(r)) {
    r->first = -1; /* an enum's last name has no semicolon */
    r->is_rest = false;
    return;
  }
  if (r->first < 0) {
    if (alone && c == ';') return;
    r->first = i;
    r->is_rest = alone && (c == ',' || c == ')');
  }
  if (alone && (c == '(' || c == '[')) r->open[r->depth++] = c;
  if (alone && ((c == ')' && top(r) == '(') || (c == ']' && top(r) == '[')))
    r->depth--;
  if (alone && c == ';' && top(r) == 'b') end_statement(r, STATEMENT_PLAIN, i);
}

static int read_directive(reader *r, int i, int count) {
  int last = i;
  while (last + 1 < count && r->tokens[last + 1].in_directive &&
         !r->tokens[last + 1].begins_directive)
    last++;
  r->found[r->found_count++] = (statement){STATEMENT_DIRECTIVE, i, last, i};
  return last;
}

int statements_find(const char *text, const token *tokens, int count,
                    statement *found) {
  reader r = {.text = text, .tokens = tokens, .first = -1, .found = found};
  r.open = malloc((size_t)count + 1);
  if (!r.open) return -1;
  for (int i = 0; i < count; i++) {
    if (tokens[i].in_directive) {
      i = read_directive(&r, i, count);
    } else if (tokens[i].kind != TOKEN_COMMENT) {
      read_token(&r, i);
      r.before = i;
    }
  }
  free(r.open);
  return r.found_count;
}
