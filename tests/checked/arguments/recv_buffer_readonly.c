/* A receive into memory that can only be read.
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
    mprotect(values, 65536, TWIN(PROT_READ, PROT_READ | PROT_WRITE));
    if (rank == 1)
        MPI_Recv(values, 16, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    else
        MPI_Send(values, 16, MPI_INT, 1, 0, WORLD);
    munmap(values, 65536);
}
