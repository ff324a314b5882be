! A stencil in Fortran that never frees its communicator.
!
! ranks: 3
! expect: leak.communicator
#define MISTAKE KEPT
#include "../solvers/stencil.inc"
