/* A pipeline that fills a buffer before the last send from it is over.
 *
 * ranks: 3
 * expect: buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#define MISTAKE TOUCHED
#include "../solvers/pipe.h"
