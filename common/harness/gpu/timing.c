#include "common/harness/timing.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "common/harness/launch.h"

enum { ROUNDS_IN_FLIGHT = 25, FLUSH_BYTES = 256 << 20,
       TIMED_ARMS = ARMS_MAX + 2, EVENTS = ROUNDS_IN_FLIGHT * TIMED_ARMS };

typedef struct {
  launch_function *const *arms;
  int arm_count;
  const attention_args *args;
  const timing_options *options;
  cudaStream_t stream;
  void *flush;
  cudaEvent_t start[EVENTS], stop[EVENTS]; /* [round in flight][arm] */
  cudaGraphExec_t graphs[TIMED_ARMS];
  int order[TIMED_ARMS]; /* of the arms in a round */
} clockwork;

static cudaError_t start_clockwork(clockwork *c) {
  const int events = ROUNDS_IN_FLIGHT * c->arm_count;
  cudaError_t status =
      cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking);
  for (int i = 0; i < events && !status; i++) {
    status = cudaEventCreate(&c->start[i]);
    if (!status) status = cudaEventCreate(&c->stop[i]);
  }
  if (!status && c->options->flush_l2)
    status = cudaMalloc(&c->flush, FLUSH_BYTES);
  return status;
}

static void stop_clockwork(clockwork *c) {
  for (int i = 0; i < EVENTS; i++) {
    if (c->start[i]) cudaEventDestroy(c->start[i]);
    if (c->stop[i]) cudaEventDestroy(c->stop[i]);
  }
  for (int i = 0; i < c->arm_count; i++)
    if (c->graphs[i]) cudaGraphExecDestroy(c->graphs[i]);
  if (c->stream) cudaStreamDestroy(c->stream);
  cudaFree(c->flush);
}

static cudaError_t launch_timed(clockwork *c, int round, int arm) {
  const int slot = round % ROUNDS_IN_FLIGHT * c->arm_count + arm;
  cudaError_t status = cudaSuccess;
  if (c->flush) status = cudaMemsetAsync(c->flush, 0, FLUSH_BYTES, c->stream);
  if (!status) status = cudaEventRecord(c->start[slot], c->stream);
  if (!status) status = c->arms[arm](c->args, c->stream);
  if (!status) status = cudaEventRecord(c->stop[slot], c->stream);
  return status;
}

static cudaError_t time_events(clockwork *c, int rounds, arm_timing *timings) {
  for (int first = 0; first < rounds; first += ROUNDS_IN_FLIGHT) {
    const int left = rounds - first;
    const int count = left < ROUNDS_IN_FLIGHT ? left : ROUNDS_IN_FLIGHT;
    for (int r = first; r < first + count; r++) {
      order_of_round(r, c->order, c->arm_count);
      for (int i = 0; i < c->arm_count; i++) {
        cudaError_t status = launch_timed(c, r, c->order[i]);
        if (status) return status;
      }
    }
    cudaError_t status = cudaStreamSynchronize(c->stream);
    for (int i = 0; i < count * c->arm_count && !status; i++) {
      float ms = 0.0f;
      status = cudaEventElapsedTime(&ms, c->start[i], c->stop[i]);
      if (timings)
        timings[i % c->arm_count].event.us[first + i / c->arm_count] =
            1000.0f * ms;
    }
    if (status) return status;
    phase_step();
  }
  return cudaSuccess;
}

static cudaError_t capture_graph(clockwork *c, int arm) {
  cudaGraph_t graph;
  cudaError_t status =
      cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeThreadLocal);
  if (status) return status;
  for (int i = 0; i < GRAPH_LAUNCHES && !status; i++) {
    if (c->flush) status = cudaMemsetAsync(c->flush, 0, FLUSH_BYTES, c->stream);
    if (!status) status = c->arms[arm](c->args, c->stream);
  }
  const cudaError_t ended = cudaStreamEndCapture(c->stream, &graph);
  if (!status) status = ended;
  if (!status) status = cudaGraphInstantiate(&c->graphs[arm], graph, 0);
  if (!ended) cudaGraphDestroy(graph);
  return status;
}

static cudaError_t replay(clockwork *c, int arm, float *us) {
  float ms = 0.0f;
  cudaError_t status = cudaEventRecord(c->start[0], c->stream);
  if (!status) status = cudaGraphLaunch(c->graphs[arm], c->stream);
  if (!status) status = cudaEventRecord(c->stop[0], c->stream);
  if (!status) status = cudaEventSynchronize(c->stop[0]);
  if (!status) status = cudaEventElapsedTime(&ms, c->start[0], c->stop[0]);
  *us = 1000.0f * ms / GRAPH_LAUNCHES;
  return status;
}

static cudaError_t time_graphs(clockwork *c, arm_timing *timings) {
  cudaError_t status = cudaSuccess;
  for (int i = 0; i < c->arm_count && !status; i++)
    status = capture_graph(c, i);
  const int replays = timings[0].graph.count;
  float warm;
  for (int i = 0; i < c->arm_count && !status; i++)
    status = replay(c, i, &warm);
  for (int r = 0; r < replays && !status; r++) {
    order_of_round(r, c->order, c->arm_count);
    for (int i = 0; i < c->arm_count && !status; i++) {
      const int arm = c->order[i];
      status = replay(c, arm, &timings[arm].graph.us[r]);
    }
  }
  return status;
}

static bool make_room(arm_timing *timings, int count, int timed) {
  const int replays = timed / GRAPH_LAUNCHES;
  for (int i = 0; i < count; i++) {
    timings[i].event = samples_new(timed);
    timings[i].graph = samples_new(replays > NOISE_BATCHES ? replays
                                                           : NOISE_BATCHES);
    if (!timings[i].event.us || !timings[i].graph.us) return false;
  }
  return true;
}

bool timing_run(launch_function *const *arms, int arm_count,
                const attention_args *args, const timing_options *options,
                arm_timing *timings, reason *why) {
  for (int i = 0; i < arm_count; i++) timings[i] = (arm_timing){0};
  if (!make_room(timings, arm_count, options->timed))
    return refuse(why, "Too little memory for %d timings.", options->timed);
  clockwork c = {.arms = arms, .arm_count = arm_count, .args = args,
                 .options = options};
  cudaError_t status = start_clockwork(&c);
  if (!status) {
    phase_begin("warm-up", options->warmup / ROUNDS_IN_FLIGHT);
    status = time_events(&c, options->warmup, NULL);
    phase_end();
  }
  if (!status) {
    phase_begin("timed", options->timed / ROUNDS_IN_FLIGHT);
    status = time_events(&c, options->timed, timings);
    if (!status && !options->flush_l2) status = time_graphs(&c, timings);
    phase_end();
  }
  stop_clockwork(&c);
  for (int i = 0; i < arm_count; i++) {
    if (options->flush_l2) timings[i].graph.count = 0;
    samples_summarise(&timings[i].event);
    samples_summarise(&timings[i].graph);
  }
  if (!status) return true;
  return refuse(why, "Timing stopped: %s.", cudaGetErrorString(status));
}

void timing_free(arm_timing *timing) {
  samples_free(&timing->event);
  samples_free(&timing->graph);
}

/* NVML comes with the driver, not with the toolkit: it is opened at run time,
 * and these four calls of its stable interface are all that is needed. */
typedef struct nvml_device *nvml_device;
typedef int init_function(void);
typedef int handle_function(const char *, nvml_device *);
typedef int clock_function(nvml_device, int, unsigned *);
typedef int power_function(nvml_device, unsigned *);
typedef int reasons_function(nvml_device, unsigned long long *);
enum { NVML_CLOCK_SM = 1, SAMPLE_US = 10000 };

static struct {
  nvml_device device;
  clock_function *clock;
  power_function *power;
  reasons_function *reasons;
  pthread_t thread;
  bool running;
  atomic_bool stop;
  clock_log log;
} sampler;

/* NVML counts all GPUs of the machine, CUDA those that this process may see:
 * where the one in use sits on the bus, both say alike. */
static bool open_nvml(void) {
  if (sampler.device) return true;
  int device;
  char bus[32];
  if (cudaGetDevice(&device) || cudaDeviceGetPCIBusId(bus, sizeof bus, device))
    return false;
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!library) return false;
  init_function *init;
  handle_function *handle;
  *(void **)&init = dlsym(library, "nvmlInit_v2");
  *(void **)&handle = dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
  *(void **)&sampler.clock = dlsym(library, "nvmlDeviceGetClockInfo");
  *(void **)&sampler.power = dlsym(library, "nvmlDeviceGetPowerUsage");
  *(void **)&sampler.reasons =
      dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons");
  return init && handle && sampler.clock && sampler.power && sampler.reasons &&
         init() == 0 && handle(bus, &sampler.device) == 0;
}

static void take_sample(clock_log *log) {
  unsigned mhz = 0, milliwatts = 0;
  unsigned long long reasons = 0;
  if (sampler.clock(sampler.device, NVML_CLOCK_SM, &mhz) ||
      sampler.power(sampler.device, &milliwatts))
    return;
  sampler.reasons(sampler.device, &reasons);
  const double watts = milliwatts / 1000.0;
  if (log->count == 0 || (int)mhz < log->clock_min) log->clock_min = (int)mhz;
  if ((int)mhz > log->clock_max) log->clock_max = (int)mhz;
  if (watts > log->power_max) log->power_max = watts;
  log->clock_mean += mhz;
  log->power_mean += watts;
  log->throttle |= reasons;
  log->count++;
}

static void *sample(void *unused) {
  (void)unused;
  do {
    take_sample(&sampler.log);
    usleep(SAMPLE_US);
  } while (!atomic_load(&sampler.stop));
  return NULL;
}

void clocks_begin(void) {
  sampler.log = (clock_log){0};
  atomic_store(&sampler.stop, false);
  sampler.running = open_nvml() &&
                    pthread_create(&sampler.thread, NULL, sample, NULL) == 0;
}

void clocks_end(clock_log *log) {
  if (sampler.running) {
    atomic_store(&sampler.stop, true);
    pthread_join(sampler.thread, NULL);
    sampler.running = false;
  }
  *log = sampler.log;
  if (log->count == 0) return;
  log->clock_mean /= log->count;
  log->power_mean /= log->count;
}
