! The same from Fortran: names with blanks behind, and without.
program sections
  use mpi
  use mpiscope
  implicit none
  integer :: ierr, i
  call MPI_Init(ierr)
  call mpiscope_clear()
  do i = 1, 2
    call mpiscope_begin("sum")
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call mpiscope_end()
    call mpiscope_snapshot("sum  ")
    call mpiscope_clear("sum")
  end do
  call mpiscope_snapshot()
  call MPI_Finalize(ierr)
end program
