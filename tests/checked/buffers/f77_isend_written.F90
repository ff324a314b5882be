! The buffer of a non-blocking send is changed before the wait, through mpif.h.
!
! ranks: 2
! expect: buffer.send-written
! bare: openmpi=ends mpich=ends
program checked
    implicit none
    include 'mpif.h'
    integer :: rank, error, request, status(MPI_STATUS_SIZE)
    integer, volatile :: values(100)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    values = rank
    if (rank == 0) then
        call MPI_Issend(values, 100, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, error) ! WRONG
#ifndef RIGHT
        values(50) = 7
#endif
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Wait(request, status, error) ! WRONG
        values(50) = 7
    else
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Recv(values, 100, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, error)
    end if
    call MPI_Finalize(error)
end program
