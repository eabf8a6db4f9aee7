#include "tools/source/place.h"

#include <stdio.h>
#include <string.h>

size_t line_begin(const source *s, size_t offset) {
  while (offset > 0 && s->text[offset - 1] != '\n') offset--;
  return offset;
}

size_t skip_blanks(const source *s, size_t offset) {
  while (s->text[offset] == ' ' || s->text[offset] == '\t') offset++;
  return offset;
}

bool is_alone(const source *s, size_t begin, size_t end) {
  const char after = s->text[skip_blanks(s, end)];
  return skip_blanks(s, line_begin(s, begin)) == begin &&
         (after == '\n' || after == '\0');
}

size_t begin_with_lead(const source *s, const place *at) {
  size_t begin = at->begin;
  while (line_begin(s, begin) > 0) {
    const size_t line = line_begin(s, line_begin(s, begin) - 1);
    const char *text = s->text + skip_blanks(s, line);
    if (strncmp(text, "#pragma ", 8) && strncmp(text, "// ", 3)) break;
    begin = skip_blanks(s, line);
  }
  return begin;
}

size_t end_with_comment(const source *s, const place *at) {
  size_t end = at->end;
  for (const token *t = s->tokens; t < s->tokens + s->token_count; t++)
    if (t->kind == TOKEN_COMMENT && t->begin >= end &&
        t->begin == skip_blanks(s, end))
      end = t->end;
  return end;
}

static void write_part(FILE *out, const char *part, const char *blanks,
                       int width) {
  for (const char *c = part; *c; c++) {
    const bool written = c[0] == '\\' && c[1] == 'n';
    if (*c == '\n' || written)
      fprintf(out, "\n%.*s", width, blanks);
    else
      fputc(*c, out);
    c += written;
  }
}

char *indented(const source *s, const place *at, const char *before,
               const char *code, const char *after) {
  char *text = NULL;
  size_t length = 0;
  const size_t line = line_begin(s, at->begin);
  const int width = at->statement ? (int)(skip_blanks(s, line) - line) : 0;
  FILE *out = open_memstream(&text, &length);
  if (!out) return NULL;
  write_part(out, before, s->text + line, width);
  write_part(out, code, s->text + line, width);
  write_part(out, after, s->text + line, width);
  fclose(out);
  return text;
}
