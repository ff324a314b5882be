! A put without an epoch, with use mpi.
!
! ranks: 2
! expect: rma.no-epoch
! bare: openmpi=aborts mpich=aborts
program checked
    use mpi
    implicit none
    integer :: rank, error, window, memory(4), value
    integer(MPI_ADDRESS_KIND) :: bytes, at
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    memory = 0
    value = rank
    bytes = 16
    at = 0
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
#ifdef RIGHT
    call MPI_Win_fence(0, window, error)
#endif
    if (rank == 0) call MPI_Put(value, 1, MPI_INTEGER, 1, at, 1, MPI_INTEGER, window, error) ! WRONG
    call MPI_Win_fence(0, window, error)
    call MPI_Win_free(window, error)
    call MPI_Finalize(error)
end program
