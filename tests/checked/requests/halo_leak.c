/* A solver that never frees its datatype of a column.
 *
 * ranks: 4
 * expect: leak.datatype
 * bare: openmpi=ends mpich=ends
 */
#define MISTAKE LEAK
#include "../solvers/halo.h"
