/* A solver that receives a halo row of doubles as longs.
 *
 * ranks: 4
 * expect: message.datatype
 */
#define MISTAKE TYPE
#include "../solvers/halo.h"
