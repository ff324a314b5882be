/* usr2 [handle]: says its number, waits for the file `end`; with a handler of its own it counts SIGUSR2. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void count(int signal)
{
    (void)signal;
    seen++;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "handle") == 0) {
        struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
        sigaction(SIGUSR2, &action, NULL);
    }
    MPI_Init(&argc, &argv);
    for (int i = 0; access("end", F_OK) != 0; i++) {
        usleep(1000);
        MPI_Barrier(MPI_COMM_SELF);
    }
    MPI_Finalize();
    printf("seen %d\n", (int)seen);
    return 0;
}
