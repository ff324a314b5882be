/* Like early_column, optimised: vectors are loaded from what lies beside the column.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * flags: -O3
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static float pairs[64][2];

/* Every second number: compilers load all of them and drop the others. */
static float sum_of(const float *numbers)
{
    float sum = 0;
    for (int i = 0; i < 64; i++)
        sum += numbers[2 * i] * 3;
    return sum;
}

static void program(void)
{
    float sum;
    MPI_Datatype second;
    MPI_Request request;
    MPI_Type_vector(64, 1, 2, MPI_FLOAT, &second);
    MPI_Type_commit(&second);
    if (rank == 0) {
        MPI_Irecv(&pairs[0][1], 1, second, 1, 0, WORLD, &request);
        use(pairs);
        sum = sum_of(&pairs[0][0]);
#ifndef RIGHT
        sum += pairs[31][1]; /* WRONG */
#endif
        use(&sum);
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(&pairs[0][1], 1, second, 0, 0, WORLD);
    }
    MPI_Type_free(&second);
}
