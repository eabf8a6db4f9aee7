#include "tests/runner/command.h"

#include <stdlib.h>

#include "common/harness/program/exit_codes.h"

void command_write(FILE *to, const char *command) {
  char text[4096];
  FILE *from = popen(command, "r");
  if (!from) return;
  for (size_t n; (n = fread(text, 1, sizeof text, from)) > 0;)
    fwrite(text, 1, n, to);
  pclose(from);
}

char *command_output(const char *command) {
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (to) command_write(to, command);
  if (to && fclose(to) == 0 && text) return text;
  fprintf(stderr, "The tests' runner has no memory left.\n");
  exit(EXIT_IMPOSSIBLE);
}
