/* regions: a program that says what it is doing, by mpiscope.h.
 *
 *   mpirun -n 4 regions [steps]
 *
 * steps    default 20
 * Shows: nested regions (step > exchange, step > reduce), the first step set apart as "warm-up", a marker in
 *          each tenth step, a value (residual) in each step, a pause of the recording, and calls outside any
 *          region. Without mpiscope it does the same and says nothing.
 */
#include <mpi.h>
#include <mpiscope.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void exchange(double *out, double *in)
{
    mpiscope_begin("exchange");
    MPI_Sendrecv(out, 100, MPI_DOUBLE, (rank + 1) % size, 1, in, 100, MPI_DOUBLE, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mpiscope_end("exchange");
}

int main(int argc, char **argv)
{
    double out[100] = {0}, in[100], residual = 1, sum;
    int steps = argc > 1 ? atoi(argv[1]) : 20;

    mpiscope_begin("start"); /* before MPI_Init */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mpiscope_end(NULL);

    mpiscope_begin("warm-up");
    exchange(out, in);
    mpiscope_end("warm-up");

    for (int step = 0; step < steps; step++) {
        mpiscope_begin("step");
        exchange(out, in);
        mpiscope_begin("reduce");
        MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        mpiscope_end("reduce");
        residual = sum / size / 2;
        mpiscope_value_double("residual", "1", residual);
        mpiscope_value_int("step", "", step);
        if (step % 10 == 9) mpiscope_mark("checkpoint");
        mpiscope_end("step");
    }

    mpiscope_stop(); /* not recorded: */
    MPI_Barrier(MPI_COMM_WORLD);
    mpiscope_start();
    mpiscope_value_string("result", residual < 1 ? "converged" : "not converged");
    if (rank == 0) printf("regions residual %.3g steps %d OK\n", residual, steps);
    MPI_Finalize();
    return 0;
}
