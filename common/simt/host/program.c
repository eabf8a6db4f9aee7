/* A program with its own main: every check from its start, and a report at its
 * end. */

#include "common/harness/program.h"
#include "common/simt/access/access.h"
#include "common/simt/host/host.h"
#include "common/simt/memory/memory.h"
#include "common/simt/race/race.h"
#include "common/simt/report/source.h"
#include "common/simt/run/finding.h"
#include "common/simt/run/launch.h"
#include "common/simt/simt.h"

#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Device memory is not the host's; what is both's may be a stream's just now.
 */
static void host_access(const void *address, size_t size, bool writes,
                        uint32_t pc) {
  if ((uintptr_t)address - arena_low >= arena_size) return;
  const arena_kind kind = arena_kind_of(address);
  if (kind == ARENA_PINNED || kind == ARENA_MANAGED)
    streams_host_access(pc, address, size, writes);
  else
    finding_of_host(SIMT_ON_HOST, pc,
                    "the host %s memory of the device%s: a segmentation fault "
                    "where there is a GPU",
                    writes ? "writes" : "reads",
                    kind == ARENA_NONE ? " that is not allocated" : "");
}

static bool impossible;

_Noreturn void program_impossible(uint32_t pc, const char *why) {
  const simt_place p = source_place(pc);
  fflush(stdout);
  fprintf(stderr, "%s:%d: %s.\n", p.file, p.line, why);
  impossible = true;
  exit(EXIT_IMPOSSIBLE);
}

static void report(int status, void *unused) {
  (void)unused;
  const simt_finding *all;
  access_by_host = NULL;
  fflush(stdout);
  const bool counts = simt_checks() & SIMT_COUNTS;
  if (!counts) errors_report();
  const bool found = simt_findings(&all) > 0;
  if (counts) simt_print_counters(stdout);
  if (found || simt_notes(&all) || (simt_checks() & SIMT_RACES))
    simt_print_findings(stdout);
  if (!counts) simt_print_unchecked(stdout);
  if (launch_left_out())
    puts("BLOCKS has left out blocks, so what the kernels computed is not "
         "whole.");
  if (launch_interrupted())
    puts("It was stopped: this is what was found until then.");
  else if (status && !impossible)
    printf("The program itself ended with %d.\n", status);
  fflush(NULL);
  if (!impossible && (status || found)) _exit(EXIT_FAILED);
}

/* The program itself has failed: where, and what was found until then. */
static void crash(int number) {
  void *frames[32];
  simt_place p = {.file = ""};
  signal(number, SIG_DFL);
  const int count = backtrace(frames, 32);
  for (int i = 0; i < count && !p.line; i++)
    if ((uintptr_t)frames[i] <= UINT32_MAX) { /* in this program */
      p = source_place((uint32_t)(uintptr_t)frames[i]);
      if (!strstr(p.file, ".cu")) p.line = 0;
    }
  printf("crash: %s, in the code of the host\n", strsignal(number));
  if (p.line)
    printf("  here  %s:%d\n        %s\n", p.file, p.line,
           source_text(p.file, p.line));
  report(128 + number, NULL);
  _exit(128 + number);
}

/* Somebody has waited long enough: what was found until now. */
static void interrupt(int number) {
  (void)number;
  if (launch_interrupt()) return;
  report(EXIT_FAILED, NULL);
  _exit(EXIT_FAILED);
}

static void catch_signals(void) {
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  static char memory[1 << 20]; /* libdw takes much */
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  const struct sigaction action = {.sa_handler = crash,
                                   .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  signal(SIGTERM, interrupt);
  signal(SIGINT, interrupt);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction(numbers[i], &action, NULL);
}

int simt_program_begin(void) {
  static bool begun;
  if (begun) return 0;
  begun = true;
  const bool counts = getenv("SIMT_COUNT");
  simt_set_checks(counts ? SIMT_COUNTS : SIMT_RACES | SIMT_STREAMS);
  if (simt_is_instrumented() && !counts) access_by_host = host_access;
  const char *blocks = getenv("SIMT_BLOCKS"), *order = getenv("SIMT_ORDER");
  launch_of_program(blocks ? strtoull(blocks, NULL, 10) : 0);
  if (order && *order) simt_set_order(strtoull(order, NULL, 10));
  on_exit(report, NULL);
  catch_signals();
  setvbuf(stdout, NULL, _IOLBF, 0);
  return 0;
}
