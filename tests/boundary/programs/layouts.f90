! The same from Fortran, which passes addresses.
program layouts
  use mpi
  implicit none
  integer :: ierror, win, column, two
  integer(kind=MPI_ADDRESS_KIND) :: bytes, stride
  integer :: memory(256)

  call MPI_Init(ierror)
  call MPI_Type_vector(3, 2, 4, MPI_DOUBLE_PRECISION, column, ierror)
  call MPI_Type_free(column, ierror)
  stride = 24
  call MPI_Type_create_hvector(5, 1, stride, MPI_INTEGER, two, ierror)
  call MPI_Type_free(two, ierror)
  bytes = 1024
  call MPI_Win_create(memory, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
  call MPI_Win_free(win, ierror)
  call MPI_Finalize(ierror)
end program
