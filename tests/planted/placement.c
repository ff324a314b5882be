/* placement: ranks that exchange much data are on different hosts.
 *
 * Launchers place ranks in order: the lower half is on the first host, the upper half on the second. Each rank exchanges
 * with the rank half of the ranks away, so that all data pass between the hosts. In the twin, and where the advice is
 * followed, partners are neighbours and share a host.
 *
 * case: name=far ranks=4 hosts=2 mpi=openmpi
 * args: --bytes 1048576 --count 20 --work-us 5000
 * expect: finding=placement
 * allow: unexplained_mpi_time late_sender late_receiver wait_at_nxn
 * case: name=twin ranks=4 hosts=2 mpi=openmpi
 * args: --bytes 1048576 --count 20 --work-us 5000 --twin
 * expect: none
 */
#include "skeleton.h"

static char *out, *in;

static void setup(void)
{
    out = zeroed(planted.bytes);
    in = zeroed(planted.bytes);
}

static void step(int i)
{
    int n = (int)planted.bytes, partner = planted.twin ? rank ^ 1 : (rank + size / 2) % size;
    double norm;
    planted_work(i < 0 ? 0 : planted.work_us);
    STAMP(MPI_Sendrecv(out, n, MPI_BYTE, partner, 1, in, n, MPI_BYTE, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          SEND(1, partner), RECV(1, partner));
    if (i % 5 == 4)
        STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    result += in[0];
}

static void finish(void)
{
    free(out);
    free(in);
}
