/* Requests of a vector, whose functions were not inlined, are asked for in a loop; one message has another tag.
 *
 * ranks: 3
 * expect: deadlock.ended | deadlock.polling
 * flags: -O0
 * bare: openmpi=hangs mpich=hangs
 */
#include <vector>

#include "../checked.h"

static void program(void)
{
    std::vector<int> values(2);
    std::vector<MPI_Request> requests(2);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 5, WORLD, &requests[i]);
        int flag = 0;
        while (!flag)
            MPI_Testall((int)requests.size(), requests.data(), &flag, MPI_STATUSES_IGNORE); /* WRONG */
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, rank == 1 ? 5 : TWIN(6, 5), WORLD);
    }
}
