/* A solver that never commits its datatype of a column.
 *
 * ranks: 4
 * expect: argument.datatype-uncommitted
 */
#define MISTAKE COMMIT
#include "../solvers/halo.h"
