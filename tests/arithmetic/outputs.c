#include "tests/arithmetic/outputs.h"

#include <string.h>

bool outputs_write(const outputs *o, const char *path, reason *why) {
  FILE *out = fopen(path, "wb");
  if (!out) return refuse(why, "cannot write %s.", path);
  const bool good =
      fprintf(out, "%s\n", o->device) > 0 &&
      fwrite(o->sums, sizeof o->sums, 1, out) == 1;
  if (fclose(out) || !good) return refuse(why, "cannot write %s.", path);
  return true;
}

bool outputs_read(outputs *o, const char *path, reason *why) {
  FILE *in = fopen(path, "rb");
  if (!in) return refuse(why, "cannot read %s.", path);
  const bool named = fgets(o->device, sizeof o->device, in) != NULL;
  const bool good = named && fread(o->sums, sizeof o->sums, 1, in) == 1 &&
                    fgetc(in) == EOF;
  fclose(in);
  if (!good)
    return refuse(why, "%s does not hold the outputs of this program: run it "
                  "again.", path);
  o->device[strcspn(o->device, "\n")] = '\0';
  return true;
}
