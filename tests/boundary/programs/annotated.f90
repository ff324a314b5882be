! Regions, markers and values from Fortran; a name with blanks behind it, and an end without a name.
program annotated
  use mpi
  use mpiscope
  implicit none
  integer :: ierr, rank, i, mine, total
  character(12) :: padded
  padded = "sum"
  call mpiscope_begin("whole")
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  do i = 1, 10
    call mpiscope_begin(padded)
    mine = rank
    call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call mpiscope_value("i", "1", i)
    call mpiscope_value("half", "m", 0.5d0 * i)
    call mpiscope_end("sum")
  end do
  call mpiscope_mark("done")
  call mpiscope_value("word", "", "hello")
  call mpiscope_stop()
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call mpiscope_start()
  if (rank == 0) print '(a, l2)', "annotated OK", mpiscope_is_recording()
  call MPI_Finalize(ierr)
  call mpiscope_end()
end program
