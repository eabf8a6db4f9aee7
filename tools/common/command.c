#include "tools/common/command.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness/program/reason.h"

void command_add(command *c, const char *word) {
  if (c->count == COMMAND_WORDS_MAX) {
    fprintf(stderr, "A command has more than %d words.\n", COMMAND_WORDS_MAX);
    exit(EXIT_USAGE);
  }
  c->words[c->count++] = word;
}

/* In the child: puts a file in the place of a descriptor. */
static void put(int descriptor, const char *path, int flags) {
  const int file = open(path, flags, 0666);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(127);
  close(file);
}

static void become(const command *c) {
  execvp(c->words[0], (char *const *)c->words);
  _exit(127);
}

static int wait_for(pid_t child) {
  int status;
  if (child < 0 || waitpid(child, &status, 0) < 0) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Closes it, too. */
static bool each_line(FILE *from, void (*take)(void *state, char *line),
                      void *state) {
  char *line = NULL;
  size_t size = 0;
  if (!from) return false;
  while (getline(&line, &size, from) > 0) {
    line[strcspn(line, "\n")] = '\0';
    take(state, line);
  }
  free(line);
  fclose(from);
  return true;
}

bool file_lines(const char *path, void (*take)(void *state, char *line),
                void *state) {
  return each_line(fopen(path, "r"), take, state);
}

bool command_lines(const command *c, void (*take)(void *state, char *line),
                   void *state) {
  int ends[2];
  if (pipe(ends)) return false;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    put(0, "/dev/null", O_RDONLY);
    put(2, "/dev/null", O_WRONLY);
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    become(c);
  }
  close(ends[1]);
  each_line(fdopen(ends[0], "r"), take, state);
  return wait_for(child) == 0;
}
