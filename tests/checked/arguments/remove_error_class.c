/* An error class is removed while one of its codes exists.
 *
 * ranks: 1
 * expect: argument.value
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=aborts wheel-abi=aborts
 */
#include "../checked.h"

static void program(void)
{
    int class, code;
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "checked");
    MPI_Remove_error_string(code);
#ifdef RIGHT
    MPI_Remove_error_code(code);
#endif
    MPI_Remove_error_class(class); /* WRONG */
}
