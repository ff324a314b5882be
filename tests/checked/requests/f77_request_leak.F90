! A non-blocking send that is never waited for, through mpif.h.
!
! ranks: 2
! expect: request.never-completed
! bare: openmpi=ends mpich=ends
program checked
    implicit none
    include 'mpif.h'
    integer :: rank, error, value, request, status(MPI_STATUS_SIZE)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    value = rank
    if (rank == 0) then
        call MPI_Isend(value, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, error) ! WRONG
#ifdef RIGHT
        call MPI_Wait(request, status, error)
#endif
    else
        call MPI_Recv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, error)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Finalize(error)
end program
