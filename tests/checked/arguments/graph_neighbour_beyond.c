/* A graph with an edge to a rank that does not exist.
 *
 * ranks: 2
 * expect: argument.rank | argument.value
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm graph;
    int ends[2] = {1, 2}, edges[2] = {TWIN(2, 1), 0};
    MPI_Graph_create(WORLD, 2, ends, edges, 0, &graph); /* WRONG */
    MPI_Comm_free(&graph);
}
