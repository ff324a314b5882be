/* A solver in which the receive from the left has another tag than the send to the right.
 *
 * ranks: 4
 * expect: deadlock.cycle
 * bare: openmpi=hangs mpich=hangs
 */
#define MISTAKE TAG
#include "../solvers/halo.h"
