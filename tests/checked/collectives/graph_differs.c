/* Ranks make graphs of different edges.
 *
 * ranks: 3
 * expect: collective.argument
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm graph;
    int ends[3] = {1, 2, 3}, edges[3] = {1, rank == TWIN(2, -1) ? 2 : 0, 0};
    MPI_Graph_create(WORLD, 3, ends, edges, 0, &graph); /* WRONG */
    MPI_Comm_free(&graph);
}
