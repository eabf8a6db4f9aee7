#include "common/harness/run/arms.h"

#include <dlfcn.h>
#include <stdio.h>

#include "common/harness/time/bench.h"

typedef const stage_object *object_function(void);

int arms_open(const stage_object **objects, const stage_options *options,
              char *why, size_t why_size) {
  const int count = options->against.count;
  if (count + 1 > ARMS_MAX) {
    snprintf(why, why_size, "At most %d arms are timed together.", ARMS_MAX);
    return 0;
  }
  for (int i = 0; i < count; i++) {
    void *library = dlopen(options->against.texts[i], RTLD_NOW | RTLD_LOCAL);
    object_function *get = NULL;
    if (library) *(void **)&get = dlsym(library, "stage_object_get");
    if (!get) {
      snprintf(why, why_size, "Cannot open the arm: %s.", dlerror());
      return 0;
    }
    objects[i + 1] = get();
  }
  return count + 1;
}
