/* A solver in which one halo row has room for one element too few.
 *
 * ranks: 4
 * expect: message.truncated
 * bare: openmpi=aborts mpich=aborts
 */
#define MISTAKE ROOM
#include "../solvers/halo.h"
