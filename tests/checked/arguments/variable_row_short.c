/* An array of a function is shorter than what is sent of it, in a program that is optimised.
 *
 * ranks: 2
 * expect: argument.variable-short
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

enum { INNER = 16, HALO = 18 };

static __attribute__((noinline)) void give(void)
{
    double row[TWIN(INNER, HALO)];
    for (int i = 0; i < INNER; i++)
        row[i] = i;
    MPI_Send(row, HALO, MPI_DOUBLE, 1, 0, WORLD); /* WRONG */
    use(row);
}

static void program(void)
{
    double there[HALO];
    if (rank == 0)
        give();
    else
        MPI_Recv(there, HALO, MPI_DOUBLE, 0, 0, WORLD, MPI_STATUS_IGNORE);
    use(there);
}
