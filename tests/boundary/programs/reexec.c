/* reexec HOW [SECONDS]: starts itself again after changing LD_PRELOAD, then makes 5 barriers.
 *
 *   unset     takes LD_PRELOAD out of its environment
 *   replace   sets LD_PRELOAD to a library of its own choice
 *   late      changes nothing before, but takes it out after MPI_Init
 *
 * After MPI_Finalize rank 0 stays SECONDS longer than the others, and all exit with code 7.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "unset";
    if (!getenv("REEXEC_DONE") && strcmp(how, "late") != 0) {
        setenv("REEXEC_DONE", "1", 1);
        if (strcmp(how, "unset") == 0)
            unsetenv("LD_PRELOAD");
        else
            setenv("LD_PRELOAD", "libm.so.6", 1);
        execv("/proc/self/exe", argv);
        return 99;
    }
    int rank;
    MPI_Init(&argc, &argv);
    unsetenv("LD_PRELOAD");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* Before the others can end: a launcher that sees the first 7 ends everybody. */
    if (rank == 0) {
        printf("reexec OK\n");
        fflush(stdout);
    }
    for (int i = 0; i < 5; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0 && argc > 2)
        sleep(atoi(argv[2]));
    return 7;
}
