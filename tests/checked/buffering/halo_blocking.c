/* A solver in which everybody sends to all sides before anybody receives.
 *
 * ranks: 4
 * expect: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#define MISTAKE BLOCKING
#include "../solvers/halo.h"
