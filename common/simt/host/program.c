/* A program with its own main: every check from its start, and a report at its
 * end. */

#include "common/harness/program/reason.h"
#include "common/simt/access/access.h"
#include "common/simt/memory/memory.h"
#include "common/simt/race/race.h"
#include "common/simt/run/finding.h"
#include "common/simt/run/launch.h"
#include "common/simt/simt.h"

#include <stdio.h>
#include <stdlib.h>
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

static void report(int status, void *unused) {
  (void)unused;
  const simt_finding *all;
  access_by_host = NULL;
  fflush(stdout);
  if (simt_checks() & SIMT_COUNTS) {
    simt_print_counters(stdout);
    fflush(NULL);
    return;
  }
  errors_report();
  simt_print_findings(stdout);
  simt_print_unchecked(stdout);
  if (launch_left_out())
    puts("BLOCKS has left out blocks, so what the kernels computed is not "
         "whole.");
  if (status) printf("The program itself ended with %d.\n", status);
  fflush(NULL);
  if (status == EXIT_PASS && simt_findings(&all)) _exit(EXIT_FAILED);
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
  if (order) simt_set_order(strtoull(order, NULL, 10));
  on_exit(report, NULL);
  return 0;
}
