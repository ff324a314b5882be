/* The buffer of a send is a variable of a function that has returned.
 *
 * ranks: 2
 * expect: buffer.send-written | argument.buffer-short
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static __attribute__((noinline)) void begin(MPI_Request *request, int *lasting)
{
    int values[64];
    int *data = TWIN(values, lasting);
    for (int i = 0; i < 64; i++)
        data[i] = i;
    use(data);
    use(values);
    MPI_Issend(data, 64, MPI_INT, 1, 0, WORLD, request); /* WRONG */
}

static __attribute__((noinline)) void work(void)
{
    volatile int scratch[256];
    for (int i = 0; i < 256; i++)
        scratch[i] = -i;
    use((const void *)scratch);
}

static void program(void)
{
    int lasting[64];
    MPI_Request request;
    if (rank == 0) {
        begin(&request, lasting);
        work();
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        MPI_Barrier(WORLD);
        MPI_Recv(lasting, 64, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
}
