/* A worker that sends a message to a log that nobody reads.
 *
 * ranks: 3
 * expect: message.lost
 * allow: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#define MISTAKE LOST
#include "../solvers/pool.h"
