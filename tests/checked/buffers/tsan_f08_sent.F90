! What is being sent is written with what it has.
!
! ranks: 2
! lines: first
! flags: -fsanitize=thread
! expect: buffer.send-written
! bare: openmpi=ends mpich=ends
program checked
    use mpi_f08
    implicit none
    integer :: rank
    integer, asynchronous :: values(50)
    ! Other compilation units know it, so what is written is not put together with what is written later.
    common /shared/ values
    type(MPI_Request) :: request
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    values = 3
    if (rank == 0) then
        call MPI_Isend(values, 50, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request)
#ifndef RIGHT
        values(8) = 3 ! WRONG
#endif
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        values(8) = 3
    else
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Recv(values, 50, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
    call MPI_Finalize()
end program
