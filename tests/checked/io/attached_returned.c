/* The buffer for buffered sends is a variable of a function that has returned.
 *
 * ranks: 2
 * expect: buffered-send.gone
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static char lasting[1 << 12];

static __attribute__((noinline)) void set_up(void)
{
    char passing[1 << 12];
    use(passing);
    MPI_Buffer_attach(TWIN(passing, lasting), sizeof lasting); /* WRONG */
    use(passing);
}

static void program(void)
{
    int value = rank, room;
    void *old;
    set_up();
    if (rank == 0)
        MPI_Bsend(&value, 1, MPI_INT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&old, &room); /* WRONG */
}
