/* A rank asks for a message that nobody sends, for ever; or only a while, and goes on.
 *
 * ranks: 2
 * expect: deadlock.polling
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    int there = 0, polls = 0;
    if (rank == 0)
        while (!there && TWIN(1, polls < 2000)) {
            MPI_Iprobe(1, 3, WORLD, &there, MPI_STATUS_IGNORE); /* WRONG */
            work_ms(polls++ % 2);
        }
    MPI_Barrier(WORLD);
}
