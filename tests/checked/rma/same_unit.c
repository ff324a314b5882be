/* A rank counts displacements in its window in bytes and the others in numbers, in a window that promises one unit.
 *
 * ranks: 3
 * expect: rma.assertion
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int values[16] = {0}, sum = rank;
    MPI_Info info;
    MPI_Win window;
    int unit = rank == 2 ? TWIN(1, (int)sizeof(int)) : (int)sizeof(int);
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_disp_unit", "true");
    MPI_Win_create(values, sizeof values, unit, info, WORLD, &window); /* WRONG */
    MPI_Info_free(&info);
    MPI_Win_fence(0, window);
    MPI_Accumulate(&sum, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    use(values);
    MPI_Win_free(&window);
}
