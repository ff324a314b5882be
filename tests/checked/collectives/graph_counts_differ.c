/* In a graph of directed edges a rank takes another number of elements from its second source than that gives.
 *
 * ranks: 3
 * expect: collective.count
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm graph;
    int before[2] = {(rank + 2) % 3, (rank + 1) % 3}, after[2] = {(rank + 1) % 3, (rank + 2) % 3};
    int mine[8] = {rank}, theirs[16], places[2] = {0, 8};
    MPI_Dist_graph_create_adjacent(WORLD, 2, before, MPI_UNWEIGHTED, 2, after, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    /* Each gives as many as its rank says, and one more. */
    int give[2] = {rank + 1, rank + 1}, take[2] = {before[0] + 1, before[1] + TWIN(2, 1)};
    MPI_Neighbor_alltoallv(mine, give, (int[2]){0, 0}, MPI_INT, theirs, take, places, MPI_INT, graph); /* WRONG */
    MPI_Comm_free(&graph);
}
