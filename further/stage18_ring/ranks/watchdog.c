#include "further/stage18_ring/ranks/ranks.h"

#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/harness/program.h"

/* ---- what rank 0 makes of what it hears of all ranks ---- */

/* No clock, no sockets: time comes in seconds from the caller, which may be
 * tests/ring/test_parts.py. */

typedef struct {
  rank_kind kind;
  int64_t progress, processor_seconds;
  char what[96];
  double heard, moved; /* when last heard of, and when progress last changed */
  bool gone;           /* has said goodbye */
} rank_report;

/* Seconds without a word, and without progress of any rank. */
enum { SILENCE = 8, PATIENCE = 15 };

/* A new report of the rank that `known` is about. */
void verdict_heard(rank_report *known, const rank_report *heard, double now) {
  const bool moved = heard->progress != known->progress;
  const double before = known->moved;
  *known = *heard;
  known->what[sizeof known->what - 1] = '\0';
  known->heard = now;
  known->moved = moved ? now : before;
}

/* False with one sentence that names the rank; as verdict_all_well. */
static bool verdict_hears(const rank_report *reports, int rank, double now,
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
    if (reports[i].gone || reports[i].kind != kind) continue;
    add_text(list, sizeof list, "%srank %d (%s)", count++ ? ", " : "", i,
             reports[i].what);
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

/* ---- the watchdog ---- */

/* Seconds. Together they stay under 30. */
enum { TO_BEGIN = 25 };
enum { TICK_NS = 250000000, LAST_WORDS_MS = 700 };

static struct {
  const char *program;
  int rank, ranks;
  int listener;
  sigset_t signals; /* that end a rank */
  int *peers; /* sockets: of rank 0 to all others, of the others [0] to it */
  double begun, ticked, told; /* told: when the signal that ends all came */
  const char *(*failure)(void);
  rank_report own, *reports; /* of rank 0: what it has heard of each rank */
  atomic_bool connected, ended, gives_up;
  int code; /* with which it gives up, and why */
  char sentence[sizeof((reason *)0)->text];
  pthread_t thread;
  pthread_mutex_t lock;
} watchdog = {.listener = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the end of a rank ---- */

/* A launcher ends all ranks when the first has ended, and what they say is then
 * lost: it waits a moment for the others' sentences. */
_Noreturn static void end_with(int code, const char *sentence) {
  char rank[32] = "";
  if (watchdog.ranks) snprintf(rank, sizeof rank, ", rank %d", watchdog.rank);
  fflush(stdout);
  fprintf(stderr, "%s%s: %s\n", watchdog.program, rank, sentence);
  usleep(1000 * LAST_WORDS_MS);
  _exit(code);
}

/* A message of either side: a report, or a sentence that ends all. */
typedef struct {
  rank_report report;
  bool last;
  int code;
  char sentence[sizeof((reason *)0)->text];
} note;

static bool tell(int socket, const note *n) {
  return send(socket, n, sizeof *n, MSG_NOSIGNAL) == (ssize_t)sizeof *n;
}

/* Rank 0: this is the end of all. The others have nobody to tell. */
_Noreturn static void end_all(int code, const char *sentence) {
  note n = {.last = true, .code = code};
  snprintf(n.sentence, sizeof n.sentence, "%s", sentence);
  for (int i = 1; i < watchdog.ranks; i++)
    if (watchdog.peers[i] >= 0) tell(watchdog.peers[i], &n);
  end_with(code, sentence);
}

/* ---- the thread ---- */

/* 1 a note, 0 none yet, -1 the other side is gone. */
static int hear(int socket, note *n) {
  const ssize_t size = recv(socket, n, sizeof *n, MSG_PEEK | MSG_DONTWAIT);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return -1;
  if (size < (ssize_t)sizeof *n) return 0;
  return recv(socket, n, sizeof *n, MSG_DONTWAIT) == (ssize_t)sizeof *n ? 1
                                                                       : -1;
}

/* What a rank says, and what this one says to it. */
static void talk(int rank, const note *mine) {
  rank_report *its = &watchdog.reports[rank];
  const int peer = watchdog.peers[rank];
  int heard;
  reason why;
  note n;
  while ((heard = hear(peer, &n)) > 0) {
    verdict_heard(its, &n.report, seconds_now());
    if (n.last) end_all(n.code, n.sentence);
  }
  if (its->gone || (tell(peer, mine) && heard == 0) || watchdog.ended) return;
  refuse(&why, "rank %d has died (its last word: %s): what it said stands "
         "above; start all ranks again.", rank, its->what);
  end_all(EXIT_IMPOSSIBLE, why.text);
}

/* The launcher ends those that are left with a signal: a sentence that is on
 * its way comes first, within half a second. */
static void wait_and_look_at_signals(void) {
  const struct timespec a_tick = {.tv_nsec = TICK_NS};
  if (sigtimedwait(&watchdog.signals, NULL, &a_tick) > 0 &&
      watchdog.told == 0.0)
    watchdog.told = seconds_now();
  if (watchdog.told != 0.0 && seconds_now() > watchdog.told + 0.5)
    end_with(EXIT_IMPOSSIBLE, "ended by a signal from outside.");
}

/* Brings this rank's own report up to date. The processor's seconds are whole
 * ones: our own ticks do not count. */
static void look_at_own(void) {
  struct timespec used;
  rank_report *own = &watchdog.own;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  pthread_mutex_lock(&watchdog.lock);
  if (own->kind == RANK_WORKS)
    own->progress += used.tv_sec - own->processor_seconds;
  own->processor_seconds = used.tv_sec;
  own->gone = watchdog.ended;
  const char *failure = watchdog.failure ? watchdog.failure() : NULL;
  pthread_mutex_unlock(&watchdog.lock);
  if (!failure || watchdog.gives_up || watchdog.ended) return;
  snprintf(watchdog.sentence, sizeof watchdog.sentence, "%s", failure);
  watchdog.code = EXIT_IMPOSSIBLE;
  watchdog.gives_up = true;
}

static void tick(void) {
  reason why;
  const double now = seconds_now();
  const bool first = watchdog.rank == 0;
  if (watchdog.ticked != 0.0 && now > watchdog.ticked + SILENCE)
    end_with(EXIT_IMPOSSIBLE,
             "it was stopped for so long that the others have ended: start all "
             "ranks again.");
  watchdog.ticked = now;
  look_at_own();
  verdict_heard(&watchdog.reports[watchdog.rank], &watchdog.own, now);
  if (first && watchdog.gives_up) end_all(watchdog.code, watchdog.sentence);
  note mine = {.report = watchdog.own,
               .last = watchdog.gives_up,
               .code = watchdog.code};
  snprintf(mine.sentence, sizeof mine.sentence, "%s", watchdog.sentence);
  for (int i = 0; i < watchdog.ranks; i++)
    if (watchdog.peers[i] >= 0) talk(i, &mine);
  if (watchdog.ended) return;
  if (first ? !verdict_all_well(watchdog.reports, watchdog.ranks, now, &why)
            : !verdict_hears(watchdog.reports, 0, now, &why))
    end_all(EXIT_IMPOSSIBLE, why.text);
}

static void *run(void *unused) {
  (void)unused;
  while (!watchdog.ended) {
    wait_and_look_at_signals();
    if (watchdog.connected)
      tick();
    else if (seconds_now() > watchdog.begun + TO_BEGIN)
      end_with(EXIT_IMPOSSIBLE,
               "not all ranks have come to the beginning in 25 seconds: look "
               "for one that did not start, and start all again.");
  }
  if (watchdog.connected) tick(); /* goodbye */
  return NULL;
}

/* ---- what the program calls ---- */

void watchdog_begin(const char *program) {
  watchdog.program = program;
  watchdog.begun = seconds_now();
  sigemptyset(&watchdog.signals);
  sigaddset(&watchdog.signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &watchdog.signals, NULL);
  if (pthread_create(&watchdog.thread, NULL, run, NULL))
    end_with(EXIT_IMPOSSIBLE, "no thread could be started to watch the ranks.");
}

int watchdog_listen(int ranks) {
  struct sockaddr_in own = {.sin_family = AF_INET};
  socklen_t size = sizeof own;
  watchdog.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (watchdog.listener < 0 ||
      bind(watchdog.listener, (struct sockaddr *)&own, size) ||
      listen(watchdog.listener, ranks) ||
      getsockname(watchdog.listener, (struct sockaddr *)&own, &size))
    watchdog_give_up(EXIT_IMPOSSIBLE, "Rank 0 cannot open a socket to watch "
                     "the others: %s.", strerror(errno));
  return ntohs(own.sin_port);
}

/* Rank 0: each of the others says who it is. */
static void accept_all(void) {
  for (int i = 1; i < watchdog.ranks; i++) {
    int32_t rank = -1;
    const int socket = accept(watchdog.listener, NULL, NULL);
    if (socket < 0 || recv(socket, &rank, sizeof rank, MSG_WAITALL) !=
                          (ssize_t)sizeof rank ||
        rank < 1 || rank >= watchdog.ranks)
      watchdog_give_up(EXIT_IMPOSSIBLE,
                       "Rank 0 was called by somebody who is no rank.");
    watchdog.peers[rank] = socket;
  }
}

static void call(int rank, const char *host, int number) {
  char port[16];
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  const int32_t me = rank;
  snprintf(port, sizeof port, "%d", number);
  if (getaddrinfo(host, port, &hints, &found))
    watchdog_give_up(EXIT_IMPOSSIBLE, "Rank %d finds no machine named %s, "
                     "where rank 0 is.", rank, host);
  const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0 || connect(s, found->ai_addr, found->ai_addrlen) ||
      send(s, &me, sizeof me, MSG_NOSIGNAL) != sizeof me)
    watchdog_give_up(EXIT_IMPOSSIBLE, "Rank %d cannot reach rank 0 at %s:%s: "
                     "%s.", rank, host, port, strerror(errno));
  freeaddrinfo(found);
  watchdog.peers[0] = s;
}

void watchdog_connect(int rank, int ranks, const char *host, int port) {
  watchdog.peers = malloc((size_t)ranks * sizeof *watchdog.peers);
  watchdog.reports = calloc((size_t)ranks, sizeof *watchdog.reports);
  if (!watchdog.peers || !watchdog.reports)
    watchdog_give_up(EXIT_IMPOSSIBLE, "Too little memory to watch the ranks.");
  for (int i = 0; i < ranks; i++) watchdog.peers[i] = -1;
  watchdog.rank = rank;
  watchdog.ranks = ranks;
  if (rank == 0)
    accept_all();
  else
    call(rank, host, port);
  for (int i = 0; i < ranks; i++)
    watchdog.reports[i] = (rank_report){
        .what = "beginning", .heard = seconds_now(), .moved = seconds_now()};
  watchdog.connected = true;
  pthread_setname_np(watchdog.thread, "watchdog"); /* for top, and a test */
}

void watchdog_at(rank_kind kind, const char *what, ...) {
  va_list values;
  va_start(values, what);
  pthread_mutex_lock(&watchdog.lock);
  watchdog.own.kind = kind;
  watchdog.own.progress++;
  vsnprintf(watchdog.own.what, sizeof watchdog.own.what, what, values);
  pthread_mutex_unlock(&watchdog.lock);
  va_end(values);
}

void watchdog_asks(const char *(*failure)(void)) {
  pthread_mutex_lock(&watchdog.lock);
  watchdog.failure = failure;
  pthread_mutex_unlock(&watchdog.lock);
}

void watchdog_give_up(int code, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(watchdog.sentence, sizeof watchdog.sentence, format, values);
  va_end(values);
  if (!watchdog.connected) end_with(code, watchdog.sentence);
  watchdog.code = code;
  watchdog.gives_up = true;
  for (;;) pause(); /* the thread tells the others, and ends us */
}

void watchdog_end(void) {
  watchdog.ended = true;
  pthread_join(watchdog.thread, NULL);
}
