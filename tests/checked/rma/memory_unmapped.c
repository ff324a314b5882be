/* The memory of a window is unmapped before MPI_Win_free.
 *
 * ranks: 2
 * expect: argument.buffer-inaccessible
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

#include <sys/mman.h>

static void program(void)
{
    const size_t bytes = 1 << 16;
    int *cells = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Win window;
    MPI_Win_create(cells, bytes, sizeof(int), MPI_INFO_NULL, WORLD, &window);
    MPI_Barrier(WORLD);
#ifndef RIGHT
    munmap(cells, bytes);
#endif
    MPI_Win_free(&window); /* WRONG */
#ifdef RIGHT
    munmap(cells, bytes);
#endif
}
