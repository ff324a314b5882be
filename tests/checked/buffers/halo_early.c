/* A solver that changes a row while it is being sent.
 *
 * ranks: 4
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#define MISTAKE EARLY
#include "../solvers/halo.h"
