! places: as places.c; exchange() is inlined when optimised.
module grid
  use mpi
  implicit none
contains
  subroutine exchange(i, s)
    integer, intent(in) :: i
    integer, intent(out) :: s
    integer :: e
    call mpi_allreduce(i, s, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
    call mpi_barrier(MPI_COMM_WORLD, e)
  end subroutine
end module
subroutine rest()
  use mpi
  integer :: e
  call mpi_barrier(MPI_COMM_WORLD, e) ! rest
end subroutine
program p
  use grid
  integer :: e, i, s, total, rank
  total = 0
  call mpi_init(e)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, e)
  do i = 1, 10
    call mpi_barrier(MPI_COMM_WORLD, e)
    call exchange(i, s)
    total = total + s
    call rest()
  end do
  if (rank == 0) print *, total
  call mpi_finalize(e)
end program
