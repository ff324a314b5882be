/* A worker that writes its next result where the last one is still being sent from.
 *
 * ranks: 3
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#define MISTAKE REUSED
#include "../solvers/pool.h"
