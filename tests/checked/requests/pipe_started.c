/* A pipeline that starts a persistent send again without waiting for the last time.
 *
 * ranks: 3
 * expect: request.started-twice
 * allow: buffer.send-written
 * bare: openmpi=aborts mpich=aborts
 */
#define MISTAKE STARTED
#include "../solvers/pipe.h"
