/* A solver that receives a halo row where it sends one from.
 *
 * ranks: 4
 * expect: buffer.in-use
 */
#define MISTAKE OVERLAP
#include "../solvers/halo.h"
