! A stencil in Fortran in which each rank receives from the left before anybody has sent.
!
! ranks: 3
! expect: deadlock.cycle
#define MISTAKE CROSSED
#include "../solvers/stencil.inc"
