! A stencil in Fortran whose ranks disagree about who gets the residual.
!
! ranks: 3
! expect: collective.call
! lines: all
#define MISTAKE CHOSEN
#include "../solvers/stencil.inc"
