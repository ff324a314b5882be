/* planted.h: what a planted program says of itself.
 *
 * Every communication call of the program stands in STAMP(), which reads the clock before and
 * after it and keeps what the call takes part in. At the end each rank writes that to
 * $PLANTED_OUT/rank.N.json; truth.py computes from these files who waited for whom, without
 * mpiscope and without a further MPI call. There is no MPI in here: Fortran programs use the same
 * functions through planted.f90. */
#ifndef PLANTED_H
#define PLANTED_H

/* What a call takes part in. A channel keeps messages or collectives apart that could be mixed
 * up: a tag, or a number for each communicator. */
enum planted_role {
    PLANTED_SEND,     /* a message to `peer` begins here */
    PLANTED_POST,     /* a receive from `peer` is posted */
    PLANTED_ARRIVAL,  /* the caller waits for a message from `peer` */
    PLANTED_DELIVERY, /* the caller waits until `peer` takes a synchronous or large message */
    PLANTED_ENTRY,    /* a collective begins here */
    PLANTED_ALL,      /* the caller waits for everybody: n to n */
    PLANTED_BARRIER,  /* the same of a barrier */
    PLANTED_FENCE,    /* the same of MPI_Win_fence */
    PLANTED_ROOT,     /* the caller waits for `peer`, the root: 1 to n */
    PLANTED_LEAVES,   /* the caller is the root and waits for the others: n to 1 */
    PLANTED_LOWER,    /* the caller waits for lower ranks: scan */
    PLANTED_NEAR,     /* the caller waits for its neighbour `peer` */
    PLANTED_EXPOSE,   /* MPI_Win_post for `peer` */
    PLANTED_ACCESS,   /* MPI_Win_start, _complete and operations on `peer` */
    PLANTED_FINISH,   /* MPI_Win_complete towards `peer` */
    PLANTED_CLOSE,    /* MPI_Win_wait for `peer` */
    PLANTED_ACQUIRE,  /* lock of a window at `peer`, up to the flush that proves it is held */
    PLANTED_RELEASE,  /* unlock */
};

/* The numbers of the command line that all programs share. */
struct planted_plan {
    long count;    /* iterations */
    long work_us;  /* what every rank does between calls */
    long delay_us; /* what late ranks take on top */
    long bytes;    /* size of a message */
    int twin;      /* balanced or reordered: nothing waits */
    int repaired;  /* the same work, done as the advice says */
};
extern struct planted_plan planted;
/* Ranks that wait do not give way (--spin), unless that is repaired; yield.c looks at it. */
extern int planted_spins;

/* Before MPI_Init; afterwards; before MPI_Finalize. */
void planted_start(void);
void planted_ready(int rank, int size);
void planted_end(void);
/* Before setting up, and before the first iteration: what is in between happens once. */
void planted_first(void);

long planted_long(const char *option, long fallback);
const char *planted_word(const char *option, const char *fallback);
/* Is `rank` among --late 1,3? Never in a twin, nor where that is repaired. */
int planted_late(int rank);
/* What a rank does on top of the work of all: late ranks the delay, in a twin everybody. Where that is repaired, everybody
 * has the same part of what the late ones had. */
long planted_extra_us(int rank, int size);

void planted_enter(const char *function, const char *file, int line);
/* The same for names that do not outlive the call, as Fortran's. */
void planted_enter_text(const char *function, const char *file, int line);
void planted_leave(void);
/* Says of the last call what it took part in. */
void planted_part(int role, int channel, int peer);

/* Work that leaves the core to others: machines have fewer cores than there are ranks. */
void planted_work(long us);
/* The same, counted as planted lateness. */
void planted_delay(long us);
/* Work that keeps a core busy until it has had so much of its time. */
void planted_burn(long us);
/* Leaves so many cores to the program, the first ones of those it may use. */
void planted_cores(int cores);

#define STAMP(call, ...)                                  \
    do {                                                  \
        planted_enter(#call, __FILE__, __LINE__);         \
        call;                                             \
        planted_leave();                                  \
        __VA_ARGS__;                                      \
    } while (0)

#define SEND(tag, to) planted_part(PLANTED_SEND, tag, to)
#define SYNC_SEND(tag, to) (SEND(tag, to), DELIVERY(tag, to))
#define DELIVERY(tag, to) planted_part(PLANTED_DELIVERY, tag, to)
#define POST(tag, from) planted_part(PLANTED_POST, tag, from)
#define ARRIVAL(tag, from) planted_part(PLANTED_ARRIVAL, tag, from)
#define RECV(tag, from) (POST(tag, from), ARRIVAL(tag, from))
/* Collectives on communicator number `comm`; 0 is MPI_COMM_WORLD. */
#define ENTRY(comm) planted_part(PLANTED_ENTRY, comm, -1)
#define ALL(comm) planted_part(PLANTED_ALL, comm, -1)
#define NXN(comm) (ENTRY(comm), ALL(comm))
#define BARRIER(comm) (ENTRY(comm), planted_part(PLANTED_BARRIER, comm, -1))
#define FENCE(comm) (ENTRY(comm), planted_part(PLANTED_FENCE, comm, -1))
#define FROM_ROOT(comm, rank, root) (ENTRY(comm), (rank) != (root) ? planted_part(PLANTED_ROOT, comm, root) : (void)0)
#define TO_ROOT(comm, rank, root) (ENTRY(comm), (rank) == (root) ? planted_part(PLANTED_LEAVES, comm, -1) : (void)0)
#define SCAN(comm) (ENTRY(comm), planted_part(PLANTED_LOWER, comm, -1))
#define NEAR(comm, peer) planted_part(PLANTED_NEAR, comm, peer)
#define EXPOSE(peer) planted_part(PLANTED_EXPOSE, 0, peer)
#define ACCESS(peer) planted_part(PLANTED_ACCESS, 0, peer)
#define FINISH(peer) (planted_part(PLANTED_ACCESS, 0, peer), planted_part(PLANTED_FINISH, 0, peer))
#define CLOSE(peer) planted_part(PLANTED_CLOSE, 0, peer)
#define ACQUIRE(peer) planted_part(PLANTED_ACQUIRE, 0, peer)
#define RELEASE(peer) planted_part(PLANTED_RELEASE, 0, peer)

#endif
