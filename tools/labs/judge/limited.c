/* Runs a command within limits and says how it ended: for programs that hold
 * other people's code.
 *   limited SECONDS MEGABYTES LOG COMMAND [ARGUMENT]...
 * SECONDS of the processor, four times as many by the clock; MEGABYTES that
 * are in use: the executor asks for far more addresses than it uses, so that a
 * limit of these would say nothing. What the command says goes into LOG. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/harness/program.h"

enum { FILE_BYTES_MOST = 1 << 30, CLOCK_FACTOR = 4, CLOCK_LEAST = 20 };

static volatile sig_atomic_t child, rang, interrupted;
static bool too_large;

static void on_signal(int number) {
  if (number == SIGALRM) rang = 1;
  else interrupted = number;
  if (child > 0) kill(-child, SIGKILL);
}

static rlim_t least(rlim_t a, rlim_t b) { return a < b ? a : b; }

/* Never above what holds already, as where a disk is made to seem full. */
static void limit(int what, rlim_t soft, rlim_t hard) {
  struct rlimit now;
  if (getrlimit(what, &now)) _exit(127);
  const struct rlimit both = {least(soft, now.rlim_max),
                              least(hard, now.rlim_max)};
  if (setrlimit(what, &both)) _exit(127);
}

static void begin(char **argv) {
  const rlim_t seconds = strtoul(argv[1], NULL, 10);
  const int log = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int nothing = open("/dev/null", O_RDONLY);
  setsid();
  limit(RLIMIT_CPU, seconds, seconds + 1);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_FSIZE, FILE_BYTES_MOST, FILE_BYTES_MOST);
  if (log < 0 || dup2(nothing, 0) || dup2(log, 1) != 1 || dup2(log, 2) != 2)
    _exit(127);
  execvp(argv[4], argv + 4);
  _exit(127);
}

/* Megabytes of memory that the command itself has in use. */
static unsigned long in_use(void) {
  char path[64];
  unsigned long pages = 0;
  snprintf(path, sizeof path, "/proc/%d/statm", (int)child);
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  if (fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (unsigned long)sysconf(_SC_PAGESIZE) >> 20;
}

static int wait_for_it(unsigned long megabytes) {
  const struct timespec moment = {.tv_nsec = 20000000};
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return status;
    if (!too_large && in_use() > megabytes) {
      too_large = true;
      kill(-child, SIGKILL);
    }
    nanosleep(&moment, NULL);
  }
}

/* What the command has started, and left behind, is ours now, in whatever
 * session it is. */
static void kill_others(void) {
  char path[64];
  int other;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE *file = fopen(path, "r");
  while (file && fscanf(file, "%d", &other) == 1) kill(other, SIGKILL);
  if (file) fclose(file);
  kill(-child, SIGKILL);
}

/* Ends it all; how many there were. */
static int end_others(void) {
  int count = 0;
  do kill_others();
  while (waitpid(-1, NULL, 0) > 0 && ++count);
  return count;
}

/* One word and a number, for those who start this; with others, also how the
 * command itself ended. */
static void say(int status, int others) {
  const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (rang || number == SIGXCPU)
    printf("time 0\n");
  else if (too_large)
    printf("memory 0\n");
  else if (number == SIGXFSZ)
    printf("output 0\n");
  else if (others)
    printf("others %d %d\n", others, number ? number : WEXITSTATUS(status));
  else if (number)
    printf("signal %d\n", number);
  else
    printf("code %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv) {
  if (argc < 5)
    return give_up("limited", EXIT_USAGE,
                   "It needs SECONDS, MEGABYTES, LOG and a command.");
  const unsigned seconds = (unsigned)strtoul(argv[1], NULL, 10);
  const struct sigaction action = {.sa_handler = on_signal};
  const int signals[] = {SIGALRM, SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, NULL);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  child = fork();
  if (child == 0) begin(argv);
  if (child < 0)
    return give_up("limited", EXIT_IMPOSSIBLE, "No process can be started.");
  alarm(CLOCK_LEAST + CLOCK_FACTOR * seconds);
  const int status = wait_for_it(strtoul(argv[2], NULL, 10));
  const int others = end_others();
  if (interrupted) return 128 + interrupted;
  say(status, others);
  return EXIT_PASS;
}
