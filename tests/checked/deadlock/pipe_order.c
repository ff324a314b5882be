/* A pipeline that was closed to a ring, in which nobody begins.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#define MISTAKE ORDER
#include "../solvers/pipe.h"
