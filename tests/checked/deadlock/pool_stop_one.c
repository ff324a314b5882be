/* A master that tells all workers but the last one to stop.
 *
 * ranks: 4
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#define MISTAKE STOP_ONE
#include "../solvers/pool.h"
