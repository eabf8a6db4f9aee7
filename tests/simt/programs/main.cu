#include "tests/simt/programs/programs.h"

#include <cstdlib>
#include <cstring>

#define PROGRAMS(X)                                                            \
  X(two_streams) X(halves) X(copies) X(managed) X(wrong_side) X(refused)       \
  X(unwritten) X(padding) X(tma) X(neighbours) X(limits) X(lost) X(places)
#define DECLARE(name) program name;
PROGRAMS(DECLARE)

int main(int argc, char **argv) {
#define ROW(name) {#name, name},
  const struct {
    const char *name;
    program *run;
  } all[] = {PROGRAMS(ROW)};
  for (const auto &p : all)
    if (argc == 3 && !strcmp(argv[1], p.name)) {
      p.run(atoi(argv[2]));
      return 0;
    }
  return 2;
}
