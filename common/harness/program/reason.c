#include "common/harness/program/reason.h"

#include <stdarg.h>
#include <stdio.h>

bool refuse(reason *why, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(why->text, sizeof why->text, format, values);
  va_end(values);
  return false;
}

int give_up(const char *program, int code, const char *sentence) {
  fflush(stdout);
  fprintf(stderr, "%s%s%s\n", program ? program : "", program ? ": " : "",
          sentence);
  return code;
}
