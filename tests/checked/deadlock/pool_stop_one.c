/* A master that sends the stop message to all workers but the last one.
 *
 * ranks: 4
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#define MISTAKE STOP_ONE
#include "../solvers/pool.h"
