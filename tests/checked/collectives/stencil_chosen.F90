! A stencil in Fortran whose ranks disagree about who gets the residual.
!
! ranks: 3
! expect: collective.call
! allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
! lines: all
! bare: openmpi=hangs mpich=hangs
#define MISTAKE CHOSEN
#include "../solvers/stencil.inc"
