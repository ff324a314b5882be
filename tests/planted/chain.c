/* chain: one rank computes longer, and each rank after it waits for the one before: the cause is far from most of what it
 * costs. Advised is to balance the computing; then every rank has a part of it. Where the last rank is the late one (ahead), the
 * one before it sends until the MPI has no room for more messages.
 *
 * case: name=propagated ranks=4
 * args: --late 0 --delay-us 8000 --count 30
 * expect: finding=load_imbalance cause=0
 * expect: finding=late_sender ranks=1,2,3 cause=0,1,2 function=MPI_Recv seconds=planted tolerance=5%
 * allow: serialisation_chain pipeline_fill
 * repair: root=load_imbalance cause=0 saves=measured
 * case: name=propagated_8 ranks=8 mpi=openmpi
 * args: --late 0 --delay-us 16000 --count 20
 * expect: finding=load_imbalance cause=0
 * expect: finding=late_sender ranks=1,2,3,4,5,6,7 function=MPI_Recv seconds=planted tolerance=5%
 * allow: serialisation_chain pipeline_fill
 * repair: root=load_imbalance cause=0 saves=measured
 * case: name=ahead ranks=2 mpi=mpich
 * args: --late 1 --delay-us 4000 --count 150
 * expect: finding=load_imbalance cause=1
 * allow: late_receiver early_reduce
 * repair: root=load_imbalance cause=1 saves=measured
 * case: name=propagated_twin ranks=4
 * args: --twin --delay-us 8000 --count 30
 * expect: none
 */
#include "skeleton.h"

static char *buffer;

static void setup(void)
{
    buffer = zeroed(planted.bytes);
}

static void step(int i)
{
    int n = (int)planted.bytes;
    work(i);
    if (rank > 0)
        STAMP(MPI_Recv(buffer, n, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(1, rank - 1));
    if (rank + 1 < size)
        STAMP(MPI_Send(buffer, n, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD), SEND(1, rank + 1));
    result += buffer[0];
}

static void finish(void)
{
    free(buffer);
}
