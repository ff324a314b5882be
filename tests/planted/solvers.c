/* solvers: programs as people write them, balanced: there is nothing to report. Some with a late rank.
 *
 * Variant halo: ranks on a ring post receives and sends to both neighbours, work on the inside, wait, and sum a norm in
 * every tenth iteration. Variant cg: a halo exchange by MPI_Sendrecv and two allreduces in each iteration, on a duplicate
 * of MPI_COMM_WORLD whose ranks count from the other end. Variant pipeline: a stage posts the receive for the next item
 * before it works on this one. Variant workers: a master hands out tasks of which each takes long, and has the next one
 * ready.
 *
 * case: name=halo ranks=4 quick
 * args: --variant halo --work-us 5000 --bytes 4096
 * expect: none
 * case: name=halo_2 ranks=2
 * args: --variant halo --work-us 5000 --bytes 8192
 * expect: none
 * case: name=halo_8 ranks=8 mpi=openmpi
 * args: --variant halo --work-us 10000 --bytes 4096
 * expect: none
 * case: name=halo_16 ranks=16 mpi=openmpi
 * args: --variant halo --work-us 20000 --bytes 4096 --count 30
 * expect: none
 * case: name=halo_late ranks=4
 * args: --variant halo --work-us 2000 --bytes 1024 --late 1 --delay-us 8000
 * expect: finding=late_sender ranks=0,2,3 function=MPI_Waitall seconds=planted tolerance=5%
 * allow: load_imbalance late_receiver wait_at_nxn serialisation_chain wait_for_progress no_overlap
 * repair: root=load_imbalance|late_sender cause=1 saves=measured
 * fact: pattern=halo
 * case: name=cg ranks=4 quick
 * args: --variant cg --work-us 5000
 * expect: none
 * case: name=cg_2 ranks=2
 * args: --variant cg --work-us 2000 --count 100
 * expect: none
 * case: name=cg_8 ranks=8 mpi=openmpi
 * args: --variant cg --work-us 10000
 * expect: none
 * case: name=cg_16 ranks=16 mpi=openmpi
 * args: --variant cg --work-us 20000 --count 30
 * expect: none
 * case: name=cg_late ranks=4
 * args: --variant cg --work-us 2000 --late 3 --delay-us 8000 --count 30
 * expect: finding=load_imbalance cause=3
 * expect: finding=late_sender ranks=2 cause=3 function=MPI_Sendrecv seconds=planted tolerance=5%
 * allow: wait_at_nxn late_receiver serialisation_chain master_bottleneck
 * repair: root=load_imbalance cause=3 saves=measured
 * case: name=pipeline ranks=4
 * args: --variant pipeline --work-us 5000 --count 60
 * expect: none
 * allow: late_sender warm_up
 * case: name=workers ranks=4
 * args: --variant workers --work-us 8000 --count 40
 * expect: none
 * allow: load_imbalance
 */
#include "skeleton.h"

enum { LEFT = 1, RIGHT = 2, ITEM = 3, ASK = 4, TASK = 5 };
static char *out[2], *in[2];
static MPI_Comm comm = MPI_COMM_WORLD;
static int left, right, my; /* in comm */
static MPI_Request next = MPI_REQUEST_NULL;

/* Rank in MPI_COMM_WORLD of a rank in comm. */
static int world(int r)
{
    return comm == MPI_COMM_WORLD ? r : size - 1 - r;
}

static void setup(void)
{
    if (variant_is("cg"))
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_rank(comm, &my);
    left = (my + size - 1) % size;
    right = (my + 1) % size;
    for (int p = 0; p < 2; p++) {
        out[p] = zeroed(planted.bytes);
        in[p] = zeroed(planted.bytes);
    }
    if (!variant_is("halo") && !variant_is("cg") && !variant_is("pipeline") && !variant_is("workers"))
        unknown_variant();
}

static void halo(int i)
{
    MPI_Request r[4];
    double norm;
    int n = (int)planted.bytes;
    if (i >= 0)
        planted_delay(planted_extra_us(rank, size));
    STAMP(MPI_Irecv(in[0], n, MPI_BYTE, left, RIGHT, comm, &r[0]), POST(RIGHT, left));
    STAMP(MPI_Irecv(in[1], n, MPI_BYTE, right, LEFT, comm, &r[1]), POST(LEFT, right));
    STAMP(MPI_Isend(out[0], n, MPI_BYTE, left, LEFT, comm, &r[2]), SEND(LEFT, left));
    STAMP(MPI_Isend(out[1], n, MPI_BYTE, right, RIGHT, comm, &r[3]), SEND(RIGHT, right));
    planted_work(planted.work_us);
    STAMP(MPI_Waitall(4, r, MPI_STATUSES_IGNORE), ARRIVAL(RIGHT, left), ARRIVAL(LEFT, right));
    if (i % 10 == 9)
        STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, comm), NXN(0));
}

static void cg(int i)
{
    double dot, norm;
    int n = (int)planted.bytes;
    planted_work(planted.work_us);
    if (i >= 0)
        planted_delay(planted_extra_us(rank, size));
    STAMP(MPI_Sendrecv(out[0], n, MPI_BYTE, right, RIGHT, in[0], n, MPI_BYTE, left, RIGHT, comm, MPI_STATUS_IGNORE),
          SEND(RIGHT, world(right)), RECV(RIGHT, world(left)));
    planted_work(planted.work_us / 2);
    STAMP(MPI_Allreduce(&result, &dot, 1, MPI_DOUBLE, MPI_SUM, comm), NXN(1));
    planted_work(planted.work_us / 4);
    STAMP(MPI_Allreduce(&dot, &norm, 1, MPI_DOUBLE, MPI_SUM, comm), NXN(1));
}

static void pipeline(int i)
{
    (void)i;
    int n = (int)planted.bytes;
    /* The item of this step was asked for in the step before. */
    if (rank > 0) {
        if (next == MPI_REQUEST_NULL)
            STAMP(MPI_Irecv(in[0], n, MPI_BYTE, left, ITEM, comm, &next), POST(ITEM, left));
        STAMP(MPI_Wait(&next, MPI_STATUS_IGNORE), ARRIVAL(ITEM, left));
        if (i + 1 < planted.count)
            STAMP(MPI_Irecv(in[0], n, MPI_BYTE, left, ITEM, comm, &next), POST(ITEM, left));
    }
    planted_work(planted.work_us);
    if (rank + 1 < size)
        STAMP(MPI_Send(out[0], n, MPI_BYTE, right, ITEM, comm), SEND(ITEM, right));
}

/* Task `i` for each worker. What comes next has been handed out while they work. */
static void workers(int i)
{
    int task = i, answer;
    if (rank == 0) {
        for (int w = 1; w < size; w++) {
            STAMP(MPI_Send(&task, 1, MPI_INT, w, TASK, comm), SEND(TASK, w));
        }
        planted_work(planted.work_us);
        for (int w = 1; w < size; w++) {
            STAMP(MPI_Recv(&answer, 1, MPI_INT, w, ASK, comm, MPI_STATUS_IGNORE), RECV(ASK, w));
        }
    } else {
        STAMP(MPI_Recv(&task, 1, MPI_INT, 0, TASK, comm, MPI_STATUS_IGNORE), RECV(TASK, 0));
        planted_work(planted.work_us);
        STAMP(MPI_Send(&task, 1, MPI_INT, 0, ASK, comm), SEND(ASK, 0));
    }
}

static void step(int i)
{
    if (variant_is("halo"))
        halo(i);
    else if (variant_is("cg"))
        cg(i);
    else if (variant_is("pipeline"))
        pipeline(i);
    else
        workers(i);
    result += in[0][0];
}

static void finish(void)
{
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    for (int p = 0; p < 2; p++) {
        free(out[p]);
        free(in[p]);
    }
}
