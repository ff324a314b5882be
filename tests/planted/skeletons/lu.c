/* lu: wavefronts over a 2-D grid, from one corner and back from the other; a norm in every fifth step.
 *
 * case: name=both ranks=16 mpi=openmpi
 * args: 4 4 1
 * fact: iterations count=20
 * fact: grid dims=4x4 periodic=00
 * fact: pattern=sweep direction=both
 * fact: phases count=3
 * case: name=one ranks=12 mpi=openmpi
 * args: 3 4 0
 * fact: iterations count=20
 * fact: grid dims=3x4 periodic=00
 * fact: pattern=sweep direction=forward
 * case: name=four ranks=4
 * args: 2 2 1
 * fact: iterations count=20
 */
#include "skeletons.h"

static int dims[2];

__attribute__((always_inline)) static inline void sweep(int by)
{
    int from[2], to[2];
    for (int a = 0; a < 2; a++) {
        from[a] = along(2, dims, 0, a, -by);
        to[a] = along(2, dims, 0, a, by);
    }
    for (int plane = 0; plane < 10; plane++) {
        for (int a = 0; a < 2; a++)
            if (from[a] != MPI_PROC_NULL)
                MPI_Recv(in[a], 20, MPI_DOUBLE, from[a], by > 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(4);
        for (int a = 0; a < 2; a++)
            if (to[a] != MPI_PROC_NULL)
                MPI_Send(out[a], 20, MPI_DOUBLE, to[a], by > 0, MPI_COMM_WORLD);
    }
}

__attribute__((noinline)) static void lower(void)
{
    sweep(1);
}

__attribute__((noinline)) static void upper(void)
{
    sweep(-1);
}

__attribute__((noinline)) static void right_hand_side(void)
{
    int list[4], n = around(2, dims, 0, 0, list);
    halo(n, list, 100);
}

static void program(int argc, char **argv)
{
    dims[0] = number(argc, argv, 1, 2);
    dims[1] = number(argc, argv, 2, 2);
    int both = number(argc, argv, 3, 1);
    for (int i = 0; i < 20; i++) {
        lower();
        if (both)
            upper();
        right_hand_side();
        if (i % 5 == 4)
            sum(i);
    }
}
