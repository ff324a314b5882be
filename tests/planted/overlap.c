/* overlap: MPI_Isend, MPI_Irecv, work, MPI_Waitall, in the hope that data moves during the work.
 *
 * Messages are large, and nothing moves while nobody is inside MPI: the transfer takes place in
 * MPI_Waitall. The twin's messages are small and are delivered when they are sent. MPI_Testall during the work gains
 * nothing on one host: a core copies the data, at this moment or another. Between hosts the network moves them meanwhile.
 *
 * case: name=large ranks=2 quick
 * args: --bytes 16777216 --work-us 8000 --count 20
 * expect: finding=unexplained_mpi_time
 * allow: wait_for_progress late_sender late_receiver
 * repair: of=no_overlap|unexplained_mpi_time saves=nothing
 * case: name=hosts ranks=2 hosts=2 mpi=openmpi
 * args: --bytes 4194304 --work-us 30000 --count 20
 * expect: finding=no_overlap
 * allow: wait_for_progress late_sender late_receiver
 * repair: root=no_overlap saves=measured
 * case: name=twin ranks=2 quick
 * args: --bytes 2048 --work-us 8000 --count 20
 * expect: none
 */
#include "skeleton.h"

static char *out, *in;

static void setup(void)
{
    out = zeroed(planted.bytes);
    in = zeroed(planted.bytes);
}

/* Work with a look now and then whether something has come. */
static void work_and_test(MPI_Request *r)
{
    enum { LOOKS = 20 };
    for (int n = 0, has_come; n < LOOKS; n++) {
        planted_work(planted.work_us / LOOKS);
        STAMP(MPI_Testall(2, r, &has_come, MPI_STATUSES_IGNORE), (void)0);
    }
}

static void step(int i)
{
    MPI_Request r[2];
    int other = rank ^ 1;
    (void)i;
    STAMP(MPI_Irecv(in, planted.bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &r[0]), POST(1, other));
    STAMP(MPI_Isend(out, planted.bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &r[1]), SEND(1, other));
    if (planted.repaired)
        work_and_test(r);
    else
        planted_work(planted.work_us);
    STAMP(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), ARRIVAL(1, other));
    result += in[0];
}

static void finish(void)
{
    free(out);
    free(in);
}
