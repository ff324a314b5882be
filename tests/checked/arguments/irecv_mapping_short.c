/* A receive that reaches beyond its mapping.
 *
 * ranks: 2
 * expect: argument.buffer-short | argument.buffer-inaccessible
 * bare: openmpi=ends mpich=ends
 */
#define _GNU_SOURCE
#include "../checked.h"
#include <sys/mman.h>

static void program(void)
{
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Request request;
    mprotect(pages + 4096, 4096, TWIN(PROT_NONE, PROT_READ | PROT_WRITE));
    if (rank == 1) {
        MPI_Irecv(pages, 8192, MPI_CHAR, 0, 0, WORLD, &request); /* WRONG */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(pages, 100, MPI_CHAR, 1, 0, WORLD);
    }
    munmap(pages, 8192);
}
