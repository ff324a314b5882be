/* particles: particle in cell: charges to neighbours, fields through a transform, particles to their new owners.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=40
 * fact: phases count=3
 * case: name=four ranks=4
 * fact: iterations count=40
 * fact: phases count=3
 */
#include "skeletons.h"

static int list[2], n;

__attribute__((noinline)) static void deposit(void)
{
    halo(n, list, 30);
}

__attribute__((noinline)) static void field(void)
{
    MPI_Alltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void migrate(void)
{
    for (int by = 0; by < 2; by++) {
        int count = 4, theirs;
        MPI_Sendrecv(&count, 1, MPI_INT, list[by], 2, &theirs, 1, MPI_INT, list[1 - by], 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(out[0], count, MPI_DOUBLE, list[by], 3, in[0], theirs, MPI_DOUBLE, list[1 - by], 3, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    n = around(1, &size, 1, 0, list);
    for (int step = 0; step < 40; step++) {
        deposit();
        field();
        migrate();
    }
}
