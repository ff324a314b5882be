! The same from Fortran.
program watched
  use mpi
  implicit none
  integer :: ierror, i, one, total
  one = 1
  call MPI_Init(ierror)
  do i = 1, 3
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  do i = 1, 5
    call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  end do
  call MPI_Finalize(ierror)
end program
