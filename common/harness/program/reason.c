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
