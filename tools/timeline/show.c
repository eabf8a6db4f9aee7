/* show FILE.timeline.json [HASH]: prints a recorded summary, and first, if the
 * kernel's hash is another now, that it is. Exit 3 if it cannot be read, 2 on a
 * wrong command line. */

#include <stdio.h>

#include "common/harness/program/exit_codes.h"
#include "common/harness/record/results.h"
#include "tools/results/recorded.h"
#include "tools/timeline/print.h"

int main(int argc, char **argv) {
  reason why;
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: show FILE.timeline.json [HASH]\n");
    return EXIT_USAGE;
  }
  json_t *summary = results_read(argv[1], &why);
  if (!summary) {
    fprintf(stderr, "timeline: %s\n", why.text);
    return EXIT_IMPOSSIBLE;
  }
  if (argc == 3 && !recorded_holds(argv[1], summary, argv[2]))
    printf("The kernel has changed since: its timeline may have, too.\n");
  const char *shape;
  json_t *entry;
  printf("%s %s on %s\n", results_text(summary, "build_meta/stage"),
         results_text(summary, "build_meta/arm"),
         results_text(summary, "build_meta/device/name"));
  json_object_foreach(json_object_get(summary, "timeline"), shape, entry)
    timeline_print(shape, entry);
  json_decref(summary);
  return EXIT_PASS;
}
