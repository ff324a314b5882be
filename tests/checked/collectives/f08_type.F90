! A reduction of reals and of integers, with use mpi_f08.
!
! ranks: 2
! expect: collective.datatype
! allow: argument.variable-type
! bare: openmpi=ends mpich=ends
program checked
    use mpi_f08
    implicit none
    integer :: rank
    real :: mine(2), total(2)
    type(MPI_Datatype) :: kind
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    mine = 0
    kind = MPI_REAL
#ifndef RIGHT
    if (rank == 1) kind = MPI_INTEGER
#endif
    call MPI_Allreduce(mine, total, 2, kind, MPI_SUM, MPI_COMM_WORLD) ! WRONG
    call MPI_Finalize()
end program
