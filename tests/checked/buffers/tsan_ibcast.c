/* What a broadcast brings is read before it is complete.
 *
 * ranks: 3
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static float values[10];

static void program(void)
{
    MPI_Request request;
    float sum = 0;
    MPI_Ibcast(values, 10, MPI_FLOAT, 0, WORLD, &request);
    if (rank == TWIN(2, 0))
        sum += values[9]; /* WRONG */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += values[9];
    use(&sum);
}
