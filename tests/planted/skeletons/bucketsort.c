/* bucketsort: integer sort: histogram, sizes, keys; one pass warms up.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=10 warm_up=1 calls=3
 * fact: pattern=alltoall
 * case: name=two ranks=2
 * fact: iterations count=10 warm_up=1 calls=3
 * case: name=thirty_two ranks=32 mpi=openmpi
 * fact: iterations count=10 warm_up=1 calls=3
 * fact: pattern=alltoall
 */
#include "skeletons.h"

static int counts[MOST], places[MOST], theirs[MOST];

static void sort(void)
{
    static int histogram[256], all[256];
    work(30);
    MPI_Allreduce(histogram, all, 256, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(counts, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, theirs, places, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int r = 0; r < size; r++) {
        counts[r] = DOUBLES;
        places[r] = r * DOUBLES;
    }
    sort();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 10; i++)
        sort();
    double ok = sum(1);
    MPI_Reduce(&ok, in, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}
