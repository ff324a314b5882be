/* A solver that waits for seven of its eight requests.
 *
 * ranks: 4
 * expect: request.never-completed | request.overwritten
 * allow: request.never-completed request.overwritten buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#define MISTAKE WAIT
#include "../solvers/halo.h"
