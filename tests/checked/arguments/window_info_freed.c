/* A window made with an info that was freed.
 *
 * ranks: 2
 * expect: argument.info
 * bare: openmpi=aborts mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    int *memory;
    MPI_Win window;
    MPI_Info info, copy;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    copy = info;
#ifndef RIGHT
    MPI_Info_free(&info);
#endif
    MPI_Win_allocate(sizeof(int), sizeof(int), copy, WORLD, &memory, &window); /* WRONG */
    MPI_Win_free(&window);
#ifdef RIGHT
    MPI_Info_free(&info);
#endif
}
