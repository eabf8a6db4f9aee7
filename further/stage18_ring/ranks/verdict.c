#include "further/stage18_ring/ranks/ranks.h"

#include <stdio.h>
#include <string.h>

void verdict_begins(rank_report *known, double now) {
  *known = (rank_report){.what = "beginning", .heard = now, .moved = now};
}

void verdict_heard(rank_report *known, const rank_report *heard, double now) {
  const bool moved = heard->progress != known->progress;
  known->kind = heard->kind;
  known->progress = heard->progress;
  memcpy(known->what, heard->what, sizeof known->what);
  known->what[sizeof known->what - 1] = '\0';
  known->heard = now;
  if (moved) known->moved = now;
}

bool verdict_hears(const rank_report *reports, int rank, double now,
                   reason *why) {
  const rank_report *r = &reports[rank];
  if (r->gone || now < r->heard + SILENCE) return true;
  return refuse(why,
                "rank %d is silent since %d seconds (its last word: %s): look "
                "at its machine, and start all ranks again.",
                rank, SILENCE, r->what);
}

/* Of those that do not get on, those that wait for others are the last to be
 * blamed. */
static bool blamed(const rank_report *reports, int ranks, rank_kind kind,
                   reason *why) {
  char list[600] = "";
  int count = 0;
  for (int i = 0; i < ranks; i++) {
    const size_t used = strlen(list);
    if (reports[i].gone || reports[i].kind != kind) continue;
    snprintf(list + used, sizeof list - used, "%srank %d (%s)",
             count++ ? ", " : "", i, reports[i].what);
  }
  if (count == 0) return false;
  refuse(why,
         "%s %s not get on since %d seconds: start all ranks again with the "
         "same command.",
         list, count == 1 ? "does" : "do", PATIENCE);
  return true;
}

bool verdict_all_well(const rank_report *reports, int ranks, double now,
                      reason *why) {
  for (int i = 0; i < ranks; i++)
    if (!verdict_hears(reports, i, now, why)) return false;
  for (int i = 0; i < ranks; i++)
    if (reports[i].gone || now < reports[i].moved + PATIENCE) return true;
  return !(blamed(reports, ranks, RANK_WORKS, why) ||
           blamed(reports, ranks, RANK_DEVICE, why) ||
           blamed(reports, ranks, RANK_WAITS, why));
}

void verdict_died(const rank_report *reports, int rank, reason *why) {
  refuse(why,
         "rank %d has died (its last word: %s): what it said stands above; "
         "start all ranks again.",
         rank, reports[rank].what);
}
