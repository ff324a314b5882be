! Two origins put to the same place, with use mpi_f08.
!
! ranks: 3
! expect: rma.conflict
! bare: openmpi=ends mpich=ends
program checked
    use mpi_f08
    implicit none
    integer :: rank, value
    integer, asynchronous :: memory(4)
    integer(MPI_ADDRESS_KIND) :: bytes, at
    type(MPI_Win) :: window
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    memory = 0
    value = rank
    bytes = 16
#ifdef RIGHT
    at = rank
#else
    at = 0
#endif
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
    call MPI_Win_fence(0, window)
    if (rank > 0) call MPI_Put(value, 1, MPI_INTEGER, 0, at, 1, MPI_INTEGER, window) ! WRONG
    call MPI_Win_fence(0, window)
    call MPI_Win_free(window)
    call MPI_Finalize()
end program
