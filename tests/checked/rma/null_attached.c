/* Memory that is NULL is attached to a dynamic window, with a size.
 *
 * ranks: 2
 * expect: argument.buffer-null
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    static int cells[16];
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window);
    MPI_Win_attach(window, TWIN(NULL, cells), sizeof cells); /* WRONG */
    MPI_Win_detach(window, TWIN(NULL, cells));
    MPI_Win_free(&window);
    use(cells);
}
