/* A worker that sends a message to a log that nobody reads.
 *
 * ranks: 3
 * expect: message.lost
 * bare: openmpi=ends mpich=ends
 */
#define MISTAKE LOST
#include "../solvers/pool.h"
