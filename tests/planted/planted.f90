! planted.f90: planted.h for Fortran. A call stands between stamp_enter and planted_leave.
module stamps
  use, intrinsic :: iso_c_binding
  implicit none
  ! As in planted.h.
  integer(c_int), parameter :: role_send = 0, role_post = 1, role_arrival = 2, role_delivery = 3, role_entry = 4, &
       role_all = 5, role_barrier = 6, role_root = 8, role_leaves = 9
  interface
     subroutine planted_start() bind(C)
     end subroutine planted_start
     subroutine planted_ready(rank, size) bind(C)
       import :: c_int
       integer(c_int), value :: rank, size
     end subroutine planted_ready
     subroutine planted_end() bind(C)
     end subroutine planted_end
     subroutine planted_leave() bind(C)
     end subroutine planted_leave
     subroutine planted_part(role, channel, peer) bind(C)
       import :: c_int
       integer(c_int), value :: role, channel, peer
     end subroutine planted_part
     subroutine planted_work(us) bind(C)
       import :: c_long
       integer(c_long), value :: us
     end subroutine planted_work
     subroutine planted_delay(us) bind(C)
       import :: c_long
       integer(c_long), value :: us
     end subroutine planted_delay
     integer(c_long) function planted_extra_us(rank, size) bind(C)
       import :: c_int, c_long
       integer(c_int), value :: rank, size
     end function planted_extra_us
     integer(c_long) function planted_long(option, fallback) bind(C)
       import :: c_long, c_char
       character(kind=c_char), intent(in) :: option(*)
       integer(c_long), value :: fallback
     end function planted_long
     subroutine planted_enter_text(call, file, line) bind(C)
       import :: c_int, c_char
       character(kind=c_char), intent(in) :: call(*), file(*)
       integer(c_int), value :: line
     end subroutine planted_enter_text
  end interface
  type, bind(C) :: planted_plan
     integer(c_long) :: count, work_us, delay_us, bytes
     integer(c_int) :: twin
  end type planted_plan
  type(planted_plan), bind(C, name="planted") :: plan

contains

  ! Before the call of `function` in this line.
  subroutine stamp_enter(function, file, line)
    character(len=*), intent(in) :: function, file
    integer, intent(in) :: line
    call planted_enter_text(function // c_null_char, file // c_null_char, line)
  end subroutine stamp_enter

  ! Everybody works; late ranks take longer. A twin has everybody take longer.
  subroutine work(i, rank, size)
    integer, intent(in) :: i, rank, size
    call planted_work(plan%work_us)
    if (i >= 0) call planted_delay(planted_extra_us(rank, size))
  end subroutine work
end module stamps
