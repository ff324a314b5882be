/* A pipeline that fills a buffer before the last send from it is over.
 *
 * ranks: 3
 * expect: buffer.send-written
 */
#define MISTAKE TOUCHED
#include "../solvers/pipe.h"
