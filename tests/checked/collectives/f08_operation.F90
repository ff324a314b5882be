! Operations that differ, with use mpi_f08.
!
! ranks: 2
! expect: collective.operation
! bare: openmpi=ends mpich=ends
program checked
    use mpi_f08
    implicit none
    integer :: rank, mine, total
    type(MPI_Op) :: how
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    mine = rank
    how = MPI_SUM
#ifndef RIGHT
    if (rank == 1) how = MPI_MAX
#endif
    call MPI_Reduce(mine, total, 1, MPI_INTEGER, how, 0, MPI_COMM_WORLD) ! WRONG
    call MPI_Finalize()
end program
