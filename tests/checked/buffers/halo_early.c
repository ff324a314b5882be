/* A solver that changes a row while it is being sent.
 *
 * ranks: 4
 * expect: buffer.send-written
 */
#define MISTAKE EARLY
#include "../solvers/halo.h"
