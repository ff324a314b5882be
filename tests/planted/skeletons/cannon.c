/* cannon: products of matrices on a square: blocks are skewed, then shifted along rows and columns.
 *
 * case: name=sixteen ranks=16 mpi=openmpi
 * args: 4
 * fact: iterations count=15 nested=4
 * fact: grid dims=4x4 periodic=11
 * case: name=nine ranks=9 mpi=openmpi
 * args: 3
 * fact: iterations count=15 nested=3
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    int q = number(argc, argv, 1, 3), dims[2] = {q, q};
    for (int product = 0; product < 15; product++) {
        for (int shift = 0; shift < q; shift++) {
            work(10);
            for (int axis = 0; axis < 2; axis++)
                MPI_Sendrecv_replace(out[axis], 100, MPI_DOUBLE, along(2, dims, 1, axis, -1), axis,
                                     along(2, dims, 1, axis, 1), axis, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        sum(product);
    }
}
