/* multigrid: V-cycles. One cycle warms up, the timed ones begin after a barrier. Each level exchanges faces axis by
 * axis on the way down and on the way up; the norm is taken once a cycle.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * args: 2 2 2
 * fact: iterations count=20 warm_up=1 calls=145
 * fact: grid dims=2x2x2
 * fact: pattern=halo neighbors=3
 * fact: phases most=4
 * case: name=four ranks=4
 * args: 1 2 2
 * fact: iterations count=20 warm_up=1
 * fact: pattern=halo neighbors=2
 */
#include "skeletons.h"

static int dims[3];

__attribute__((noinline)) static void exchange(int doubles)
{
    for (int a = 0; a < 3; a++) {
        if (dims[a] == 1)
            continue;
        for (int by = -1; by <= 1; by += 2) {
            int to = along(3, dims, 1, a, by), from = along(3, dims, 1, a, -by);
            MPI_Irecv(in[0], doubles, MPI_DOUBLE, from, a, MPI_COMM_WORLD, &requests[0]);
            MPI_Send(out[0], doubles, MPI_DOUBLE, to, a, MPI_COMM_WORLD);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
    }
}

static void cycle(void)
{
    for (int level = 4; level > 0; level--) {
        work(5);
        exchange(1 << level);
    }
    for (int level = 1; level <= 4; level++) {
        exchange(1 << level);
        work(5);
    }
    sum(1);
}

static void program(int argc, char **argv)
{
    for (int a = 0; a < 3; a++)
        dims[a] = number(argc, argv, 1 + a, 1);
    cycle();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 20; i++)
        cycle();
}
