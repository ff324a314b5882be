/* transpose: a Fourier transform in three dimensions: slabs, which all ranks exchange, or pencils, which go along rows and
 * then along columns.
 *
 * case: name=slabs ranks=6 mpi=openmpi
 * args: 1 6
 * fact: iterations count=30 calls=3
 * fact: pattern=alltoall
 * case: name=pencils ranks=12 mpi=openmpi
 * args: 3 4
 * fact: iterations count=30 calls=5
 * fact: pattern=transpose
 * fact: grid dims=3x4
 * case: name=four ranks=4
 * args: 2 2
 * fact: iterations count=30 calls=5
 * fact: pattern=transpose
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    int rows = number(argc, argv, 1, 1), columns = number(argc, argv, 2, 1);
    MPI_Comm row, column;
    MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &column);
    for (int i = 0; i < 30; i++) {
        work(10);
        MPI_Alltoall(out, 20, MPI_DOUBLE, in, 20, MPI_DOUBLE, row);
        work(10);
        if (rows > 1) {
            MPI_Alltoall(out, 20, MPI_DOUBLE, in, 20, MPI_DOUBLE, column);
            work(10);
            MPI_Alltoall(out, 20, MPI_DOUBLE, in, 20, MPI_DOUBLE, column);
        }
        MPI_Alltoall(out, 20, MPI_DOUBLE, in, 20, MPI_DOUBLE, row);
        sum(i);
    }
}
