/* A solver that never commits its datatype of a column.
 *
 * ranks: 4
 * expect: argument.datatype-uncommitted
 * bare: openmpi=aborts mpich=aborts
 */
#define MISTAKE COMMIT
#include "../solvers/halo.h"
