/* coupled: two models in one job, which meet in every fourth step of the first.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=20 ranks=8
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm model;
    int is_air = rank < 5, my, of;
    MPI_Comm_split(MPI_COMM_WORLD, is_air, rank, &model);
    MPI_Comm_rank(model, &my);
    MPI_Comm_size(model, &of);
    for (int step = 0; step < (is_air ? 80 : 20); step++) {
        double x = step, all;
        MPI_Sendrecv_replace(out[0], 20, MPI_DOUBLE, (my + 1) % of, 1, (my + of - 1) % of, 1, model, MPI_STATUS_IGNORE);
        work(is_air ? 10 : 40);
        if (is_air)
            MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_MIN, model);
        if (!is_air || step % 4 == 3)
            MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}
