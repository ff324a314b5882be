/* A master that awaits one result too many before it sends its workers the stop message.
 *
 * ranks: 3
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#define MISTAKE LATE_STOP
#include "../solvers/pool.h"
