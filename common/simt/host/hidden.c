/* Device memory out of the host's reach, as on a GPU. */

#include "common/simt/memory/memory.h"
#include "common/simt/run/finding.h"
#include "common/simt/run/registers.h"
#include "common/simt/simt.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static bool hides;

void arena_reach(bool reachable) {
  const size_t size = (arena_high + PAGE - 1) / PAGE * PAGE;
  if (hides && size &&
      mprotect((void *)arena_low, size,
               reachable ? PROT_READ | PROT_WRITE : PROT_NONE))
    abort();
}

static void on_fault(int number, siginfo_t *info, void *context) {
  signal(number, SIG_DFL);
  if ((uintptr_t)info->si_addr - arena_low >= arena_size) return;
  finding_of_host(SIMT_ON_HOST, place_of(registers_of(context).pc),
                  "the host reads or writes memory of the device: a "
                  "segmentation fault where there is a GPU");
  simt_print_findings(stdout);
  fflush(stdout);
  _exit(EXIT_FAILURE);
}

void simt_hide_memory(bool hide) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  hides = true;
  arena_reach(!hide);
  hides = hide;
  if (!hide) signal(SIGSEGV, SIG_DFL);
  else sigaction(SIGSEGV, &action, NULL);
}
