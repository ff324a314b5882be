/* Room for one of two neighbours.
 *
 * ranks: 3
 * expect: argument.value
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int index[3] = {2, 3, 4}, edges[4] = {1, 2, 0, 0}, neighbours[2];
    MPI_Comm graph;
    MPI_Graph_create(WORLD, 3, index, edges, 0, &graph);
    MPI_Graph_neighbors(graph, 0, TWIN(1, 2), neighbours); /* WRONG */
    MPI_Comm_free(&graph);
}
