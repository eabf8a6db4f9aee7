#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "a ring of three slots: copies run two tiles ahead",
  };
  return stage_main(&stage, argc, argv);
}
