! A large array is changed by a subroutine while it is being sent.
!
! ranks: 2
! expect: buffer.send-written
! lines: first
! options: --guard
! bare: openmpi=ends mpich=ends
program checked
    use mpi
    implicit none
    integer, parameter :: n = 100000
    integer :: rank, error, request
    double precision, allocatable :: values(:)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    allocate(values(n))
    values = rank
    if (rank == 0) then
        call MPI_Issend(values, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, error)
#ifndef RIGHT
        call relax(values, n / 2)
#endif
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        call unchanged(values)
    else
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Recv(values, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end if
    deallocate(values)
    call MPI_Finalize(error)
contains
#ifndef RIGHT
    subroutine relax(field, at)
        double precision, intent(inout) :: field(:)
        integer, intent(in) :: at
        field(at) = 0.5d0 * field(at) + 1 ! WRONG
    end subroutine
#endif
    subroutine unchanged(array)
        double precision, intent(in) :: array(:)
        if (sum(array) < 0) print *, 'negative'
    end subroutine
end program
