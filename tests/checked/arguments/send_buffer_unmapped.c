/* A send from memory that was given back to the system.
 *
 * ranks: 2
 * expect: argument.buffer-inaccessible
 * bare: openmpi=crashes mpich=crashes
 */
#define _GNU_SOURCE
#include "../checked.h"
#include <sys/mman.h>

static void program(void)
{
    int *values = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    values[0] = rank;
#ifndef RIGHT
    munmap(values, 65536);
#endif
    if (rank == 0) {
        MPI_Send(values, 16, MPI_INT, 1, 0, WORLD); /* WRONG */
    } else {
        int there[16];
        MPI_Recv(there, 16, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
#ifdef RIGHT
    munmap(values, 65536);
#endif
}
