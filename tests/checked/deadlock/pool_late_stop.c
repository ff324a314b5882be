/* A master that awaits one result too many before it tells its workers to stop.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#define MISTAKE LATE_STOP
#include "../solvers/pool.h"
