/* A rank names a neighbour that does not name it.
 *
 * ranks: 2
 * expect: collective.argument
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm graph;
    int other = 1 - rank;
    int in = rank == TWIN(1, -1) ? 0 : 1;
    MPI_Dist_graph_create_adjacent(WORLD, in, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph); /* WRONG */
    MPI_Comm_free(&graph);
}
