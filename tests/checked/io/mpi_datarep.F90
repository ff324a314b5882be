! A data representation that there is not.
!
! ranks: 2
! expect: argument.value
! bare: openmpi=ends mpich=ends
program datarep
  use mpi
  implicit none
  integer :: file, error
  integer(kind=MPI_OFFSET_KIND) :: at
  at = 0
  call MPI_Init(error)
  call MPI_File_open(MPI_COMM_WORLD, 'datarep.bin', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
#ifdef RIGHT
  call MPI_File_set_view(file, at, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, error)
#else
  call MPI_File_set_view(file, at, MPI_INTEGER, MPI_INTEGER, 'internel', MPI_INFO_NULL, error) ! WRONG
#endif
  call MPI_File_close(file, error)
  call MPI_Finalize(error)
end program
