! A barrier against a reduction, with use mpi.
!
! ranks: 3
! expect: collective.call
! allow: collective.missing deadlock.collective deadlock.cycle deadlock.ended
! lines: all
! bare: openmpi=hangs mpich=hangs
program checked
    use mpi
    implicit none
    integer :: rank, error, mine, total
    logical :: other
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    mine = rank
#ifdef RIGHT
    other = .false.
#else
    other = rank == 1
#endif
    if (other) then
        call MPI_Barrier(MPI_COMM_WORLD, error) ! WRONG
    else
        call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error) ! WRONG
    end if
    call MPI_Finalize(error)
end program
