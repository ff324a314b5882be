/* crash: exchanges messages like a good program and then misbehaves on one rank.
 *
 *   crash [--how H] [--rank R] [--after K]        default: segv on rank 1 after 100 iterations
 *
 *   H = segv      writes through a null pointer
 *     | abort     abort()
 *     | exit      exit(3) without MPI_Finalize
 *     | _exit     _exit(3): no atexit handlers either
 *     | kill      SIGKILL to itself
 *     | hang      MPI_Recv of a message that nobody sends; the others wait in MPI_Barrier
 *     | mpiabort  MPI_Abort(MPI_COMM_WORLD, 3)
 *     | return    returns 3 from main without MPI_Finalize
 *     | none      behaves, for comparison; prints OK
 *
 * Shows: what is left of a recording when the program ends badly. Every rank has made
 * exactly K calls of MPI_Sendrecv before (with `none`, `hang` and the others alike). */
#include "common.h"

#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, token = 0;
    const char *how = opt_str(argc, argv, "--how", "segv");
    int culprit = opt_long(argc, argv, "--rank", 1), after = opt_long(argc, argv, "--after", 100);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    culprit %= size;

    for (int i = 0; i < after; i++) {
        int got;
        MPI_Sendrecv(&token, 1, MPI_INT, (rank + 1) % size, 7, &got, 1, MPI_INT,
                     (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token = got + 1;
    }
    CHECK(token == after);

    if (rank == culprit) {
        int code = 3;
        fprintf(stderr, "crash: rank %d: %s after %d iterations\n", rank, how, after);
        if (strcmp(how, "segv") == 0) {
            volatile int *nowhere = NULL;
            *nowhere = 1;
        } else if (strcmp(how, "abort") == 0) {
            abort();
        } else if (strcmp(how, "exit") == 0) {
            exit(code);
        } else if (strcmp(how, "_exit") == 0) {
            _exit(code);
        } else if (strcmp(how, "kill") == 0) {
            kill(getpid(), SIGKILL);
        } else if (strcmp(how, "hang") == 0) {
            MPI_Recv(&token, 1, MPI_INT, (rank + 1) % size, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (strcmp(how, "mpiabort") == 0) {
            MPI_Abort(MPI_COMM_WORLD, code);
        } else if (strcmp(how, "return") == 0) {
            return code;
        } else if (strcmp(how, "none") != 0) {
            fprintf(stderr, "crash: no such way to end: %s\n", how);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("crash %s\n", check_failures ? "FAILED" : "OK");
    MPI_Finalize();
    return check_failures != 0;
}
