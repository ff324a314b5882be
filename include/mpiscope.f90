! mpiscope: regions, markers and values of a Fortran program, for mpiscope.
!
! Compile this file with your program; no library has to be linked (with glibc before 2.34: -ldl).
!
!   use mpiscope
!   call mpiscope_begin("solve")                      ! a region: an interval like those of MPI calls
!   call mpiscope_mark("converged")                   ! a point in time
!   call mpiscope_value("residual", "1", r)           ! a point with a value: integer, real or character
!   call mpiscope_end("solve")                        ! or call mpiscope_end(): the innermost
!   call mpiscope_stop(); call mpiscope_start()       ! pause and resume the recording of the process
!   call mpiscope_thread_stop(); call mpiscope_thread_start()
!   call mpiscope_clear("solve"); call mpiscope_snapshot("solve")   ! statistics between both; without a name: of everything
!
! Without mpiscope each call only tests a logical.
module mpiscope
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private
  public :: mpiscope_begin, mpiscope_end, mpiscope_mark, mpiscope_value
  public :: mpiscope_start, mpiscope_stop, mpiscope_thread_start, mpiscope_thread_stop
  public :: mpiscope_snapshot, mpiscope_clear, mpiscope_is_recording

  interface mpiscope_value
    module procedure value_int32, value_int64, value_real32, value_real64, value_text
  end interface

  abstract interface
    subroutine named(name, length) bind(c)
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine
    subroutine valued_int(name, unit, val) bind(c)
      import :: c_char, c_long_long
      character(kind=c_char), intent(in) :: name(*), unit(*)
      integer(c_long_long), value :: val
    end subroutine
    subroutine valued_double(name, unit, val) bind(c)
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*), unit(*)
      real(c_double), value :: val
    end subroutine
    subroutine valued_string(name, val) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*), val(*)
    end subroutine
    subroutine plain() bind(c)
    end subroutine
    function asked() bind(c) result(answer)
      import :: c_int
      integer(c_int) :: answer
    end function
  end interface

  interface
    function dlsym(handle, symbol) bind(c, name="dlsym") result(address)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_funptr) :: address
    end function
  end interface

  logical :: looked = .false.
  logical :: present_ = .false.
  procedure(named), pointer :: begin_, end_, mark_, snapshot_, clear_
  procedure(valued_int), pointer :: int_
  procedure(valued_double), pointer :: double_
  procedure(valued_string), pointer :: string_
  procedure(plain), pointer :: start_, stop_, thread_start_, thread_stop_
  procedure(asked), pointer :: recording_

contains

  ! Whether mpiscope is there; found out once. Threads that look at the same time find the same.
  logical function active()
    if (.not. looked) call look
    active = present_
  end function

  subroutine look()
    logical :: found
    found = c_associated(find("mpiscope_snapshot_n"))
    if (found) then
      call c_f_procpointer(find("mpiscope_begin_n"), begin_)
      call c_f_procpointer(find("mpiscope_end_n"), end_)
      call c_f_procpointer(find("mpiscope_mark_n"), mark_)
      call c_f_procpointer(find("mpiscope_snapshot_n"), snapshot_)
      call c_f_procpointer(find("mpiscope_clear_n"), clear_)
      call c_f_procpointer(find("mpiscope_value_int"), int_)
      call c_f_procpointer(find("mpiscope_value_double"), double_)
      call c_f_procpointer(find("mpiscope_value_string"), string_)
      call c_f_procpointer(find("mpiscope_start"), start_)
      call c_f_procpointer(find("mpiscope_stop"), stop_)
      call c_f_procpointer(find("mpiscope_thread_start"), thread_start_)
      call c_f_procpointer(find("mpiscope_thread_stop"), thread_stop_)
      call c_f_procpointer(find("mpiscope_is_recording"), recording_)
    end if
    present_ = found
    looked = .true.
  end subroutine

  function find(name) result(address)
    character(*), intent(in) :: name
    type(c_funptr) :: address
    address = dlsym(c_null_ptr, name // c_null_char)
  end function

  subroutine mpiscope_begin(name)
    character(*), intent(in) :: name
    if (active()) call begin_(name, len(name, c_size_t))
  end subroutine

  subroutine mpiscope_end(name)
    character(*), intent(in), optional :: name
    if (.not. active()) return
    if (present(name)) then
      call end_(name, len(name, c_size_t))
    else
      call end_(" ", 0_c_size_t)
    end if
  end subroutine

  subroutine mpiscope_mark(name)
    character(*), intent(in) :: name
    if (active()) call mark_(name, len(name, c_size_t))
  end subroutine

  subroutine value_int32(name, unit, val)
    character(*), intent(in) :: name, unit
    integer(int32), intent(in) :: val
    if (active()) call int_(trim(name) // c_null_char, trim(unit) // c_null_char, int(val, c_long_long))
  end subroutine

  subroutine value_int64(name, unit, val)
    character(*), intent(in) :: name, unit
    integer(int64), intent(in) :: val
    if (active()) call int_(trim(name) // c_null_char, trim(unit) // c_null_char, int(val, c_long_long))
  end subroutine

  subroutine value_real32(name, unit, val)
    character(*), intent(in) :: name, unit
    real(real32), intent(in) :: val
    if (active()) call double_(trim(name) // c_null_char, trim(unit) // c_null_char, real(val, c_double))
  end subroutine

  subroutine value_real64(name, unit, val)
    character(*), intent(in) :: name, unit
    real(real64), intent(in) :: val
    if (active()) call double_(trim(name) // c_null_char, trim(unit) // c_null_char, real(val, c_double))
  end subroutine

  ! A text as value has no unit; the argument keeps the call alike.
  subroutine value_text(name, unit, val)
    character(*), intent(in) :: name, unit, val
    if (len(unit) < 0) return
    if (active()) call string_(trim(name) // c_null_char, trim(val) // c_null_char)
  end subroutine

  subroutine mpiscope_start()
    if (active()) call start_()
  end subroutine

  subroutine mpiscope_stop()
    if (active()) call stop_()
  end subroutine

  subroutine mpiscope_thread_start()
    if (active()) call thread_start_()
  end subroutine

  subroutine mpiscope_thread_stop()
    if (active()) call thread_stop_()
  end subroutine

  subroutine mpiscope_snapshot(region)
    character(*), intent(in), optional :: region
    if (.not. active()) return
    if (present(region)) then
      call snapshot_(region, len(region, c_size_t))
    else
      call snapshot_(" ", 0_c_size_t)
    end if
  end subroutine

  subroutine mpiscope_clear(region)
    character(*), intent(in), optional :: region
    if (.not. active()) return
    if (present(region)) then
      call clear_(region, len(region, c_size_t))
    else
      call clear_(" ", 0_c_size_t)
    end if
  end subroutine

  logical function mpiscope_is_recording() result(answer)
    answer = .false.
    if (active()) answer = recording_() /= 0
  end function

end module mpiscope
