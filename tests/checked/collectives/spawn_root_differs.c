/* The ranks of MPI_Comm_spawn name different roots; nobody is really started.
 *
 * ranks: 2
 * expect: collective.root
 * allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm children;
    char command[] = "checked-no-such-program";
    /* A root that differs keeps all of them from starting anything: each waits for the other's command. */
#ifdef RIGHT
    (void)command;
    MPI_Comm_dup(WORLD, &children);
#else
    MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, MPI_INFO_NULL, rank == 0 ? 1 : 0, WORLD, &children, MPI_ERRCODES_IGNORE); /* WRONG */
#endif
    MPI_Comm_free(&children);
}
