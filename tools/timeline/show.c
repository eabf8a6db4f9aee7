/* show FILE.timeline.json: prints a recorded summary. Exit 3 if it cannot be
 * read, 2 on a wrong command line. */

#include <stdio.h>

#include "common/harness/program.h"
#include "common/harness/results.h"
#include "tools/timeline/timeline.h"

int main(int argc, char **argv) {
  reason why;
  if (argc != 2) {
    fprintf(stderr, "usage: show FILE.timeline.json\n");
    return EXIT_USAGE;
  }
  json_t *summary = results_read(argv[1], &why);
  if (!summary) {
    fprintf(stderr, "timeline: %s\n", why.text);
    return EXIT_IMPOSSIBLE;
  }
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
