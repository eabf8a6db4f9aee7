#include "further/stage18_ring/ranks/ranks.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/harness/program.h"

static rank_place place;

void *ranks_memory(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  if (!memory)
    watchdog_give_up(EXIT_IMPOSSIBLE, "Rank %d has too little memory.",
                     place.rank);
  return memory;
}

/* All ranks' texts, RANKS_TEXT bytes each; to be freed. */
static char (*texts_of_all(const char *text))[RANKS_TEXT] {
  char own[RANKS_TEXT] = "";
  char (*all)[RANKS_TEXT] = ranks_memory((size_t)place.ranks, sizeof *all);
  snprintf(own, sizeof own, "%s", text);
  MPI_Allgather(own, RANKS_TEXT, MPI_BYTE, all, RANKS_TEXT, MPI_BYTE,
                MPI_COMM_WORLD);
  return all;
}

int ranks_like(const char *text, int *before) {
  int count = 0, first = 0;
  watchdog_waits("waiting for all ranks");
  char (*all)[RANKS_TEXT] = texts_of_all(text);
  for (int i = 0; i < place.ranks; i++)
    if (!strcmp(all[i], all[place.rank])) {
      first += i < place.rank;
      count++;
    }
  free(all);
  watchdog_works("beginning");
  if (before) *before = first;
  return count;
}

rank_place ranks_begin(const char *program, int *argc, char ***argv) {
  char host[sizeof place.host]; /* of rank 0 */
  int given = 0, port = 0;
  watchdog_begin(program);
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.ranks);
  gethostname(place.host, sizeof place.host - 1);
  memcpy(host, place.host, sizeof host);
  if (place.rank == 0) port = watchdog_listen(place.ranks);
  MPI_Bcast(host, sizeof host, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Bcast(&port, 1, MPI_INT, 0, MPI_COMM_WORLD);
  watchdog_connect(place.rank, place.ranks,
                   strcmp(host, place.host) ? host : "127.0.0.1", port);
  place.of_host = ranks_like(place.host, &place.on_host);
  return place;
}

void ranks_end(void) {
  ranks_meet();
  watchdog_end();
  MPI_Finalize();
}

void ranks_agree(const char *what, const char *text, const char *advice) {
  watchdog_waits("waiting for all ranks' %s", what);
  char (*all)[RANKS_TEXT] = texts_of_all(text);
  watchdog_works("beginning");
  for (int other = 1; other < place.ranks; other++)
    if (strcmp(all[other], all[0]))
      watchdog_give_up(EXIT_IMPOSSIBLE, "Rank %d has the %s '%s', rank 0 '%s': "
                       "%s.", other, what, all[other], all[0], advice);
  free(all);
}

void ranks_can(bool good, const reason *why) {
  if (!good)
    watchdog_give_up(EXIT_IMPOSSIBLE, "Rank %d on %s: %s", place.rank,
                     place.host, why->text);
}

void ranks_meet(void) {
  watchdog_waits("waiting for all ranks");
  MPI_Barrier(MPI_COMM_WORLD);
  watchdog_works("going on");
}

static double reduced(double own, MPI_Op operation) {
  watchdog_waits("waiting for a figure of all ranks");
  MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
  watchdog_works("going on");
  return own;
}

double ranks_largest(double own) { return reduced(own, MPI_MAX); }
double ranks_sum(double own) { return reduced(own, MPI_SUM); }

void ranks_collect(const uint16_t *own, uint16_t *all, const int *counts) {
  int begins[place.ranks];
  begins[0] = 0;
  for (int i = 1; i < place.ranks; i++)
    begins[i] = begins[i - 1] + counts[i - 1];
  watchdog_waits("handing the output to rank 0");
  MPI_Gatherv(own, counts[place.rank], MPI_UINT16_T, all, counts, begins,
              MPI_UINT16_T, 0, MPI_COMM_WORLD);
  watchdog_works("going on");
}
