/* barrier: early ranks wait at a barrier for a late one.
 *
 * Variant split: halves of the ranks have a communicator each; the late rank keeps only its half waiting.
 * Variant ibarrier: MPI_Ibarrier and MPI_Wait. The twin shows too that barriers of balanced ranks are
 * not taken for waiting (completion).
 *
 * case: name=world ranks=2 quick
 * args: --variant world --late 1
 * expect: finding=wait_at_barrier ranks=0 cause=1 function=MPI_Barrier seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_barrier saves=measured
 * case: name=split ranks=4
 * args: --variant split --late 2 --delay-us 8000 --count 30
 * expect: finding=wait_at_barrier ranks=3 cause=2 function=MPI_Barrier seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_barrier saves=measured
 * case: name=ibarrier ranks=2
 * args: --variant ibarrier --late 0
 * expect: finding=wait_at_barrier ranks=1 cause=0 function=MPI_Wait seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_barrier saves=measured
 * case: name=world_mild ranks=2
 * args: --variant world --late 1 --work-us 5000 --delay-us 800
 * expect: finding=wait_at_barrier ranks=0 cause=1 function=MPI_Barrier seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_barrier saves=measured
 * case: name=world_8 ranks=8 mpi=openmpi
 * args: --variant world --late 5 --delay-us 16000 --count 30
 * expect: finding=wait_at_barrier ranks=0,1,2,3,4,6,7 cause=5 function=MPI_Barrier seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_barrier saves=measured
 * case: name=split_16 ranks=16 mpi=openmpi
 * args: --variant split --late 12 --delay-us 30000 --count 20
 * expect: finding=wait_at_barrier ranks=8,9,10,11,13,14,15 cause=12 function=MPI_Barrier seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_barrier saves=measured
 * case: name=world_16_twin ranks=16 mpi=openmpi
 * args: --variant world --twin --work-us 5000 --delay-us 30000 --count 20
 * expect: none
 * case: name=world_twin ranks=2 quick
 * args: --variant world --twin
 * expect: none
 * case: name=split_twin ranks=4
 * args: --variant split --twin --delay-us 8000 --count 30
 * expect: none
 */
#include "skeleton.h"

static MPI_Comm comm = MPI_COMM_WORLD;
static int number; /* of the communicator */

static void setup(void)
{
    if (!variant_is("split"))
        return;
    int half = rank >= size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, half, rank, &comm);
    number = 1 + half;
}

static void step(int i)
{
    work(i);
    if (variant_is("ibarrier")) {
        MPI_Request r;
        STAMP(MPI_Ibarrier(comm, &r), ENTRY(number));
        STAMP(MPI_Wait(&r, MPI_STATUS_IGNORE), planted_part(PLANTED_BARRIER, number, -1));
    } else {
        STAMP(MPI_Barrier(comm), BARRIER(number));
    }
    result += 1;
}

static void finish(void)
{
    if (number)
        MPI_Comm_free(&comm);
}
