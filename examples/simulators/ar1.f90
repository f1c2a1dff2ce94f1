! An autoregressive series, y(t) = phi y(t-1) + sigma e(t): the simulator of ar1.toml.
!
! A shared library in Fortran that epsfree loads; epsfree_plugin.h says what it exports.
module ar1
  use, intrinsic :: iso_c_binding
  implicit none
  private
  integer, parameter :: length = 200

contains

  ! What the library says about itself.
  integer(c_int32_t) function plugin_version() bind(c, name="epsfree_plugin_version")
    plugin_version = 1
  end function

  integer(c_int32_t) function num_parameters_() bind(c, name="epsfree_plugin_num_parameters")
    num_parameters_ = 2
  end function

  integer(c_int32_t) function num_statistics_() bind(c, name="epsfree_plugin_num_statistics")
    num_statistics_ = 2
  end function

  ! It keeps nothing between calls, and so may be called from several threads.
  integer(c_int32_t) function is_thread_safe() bind(c, name="epsfree_plugin_is_thread_safe")
    is_thread_safe = 1
  end function

  ! theta: phi and sigma; x: the log variance and the correlation with the value before.
  ! Returns 0 where all is well, 1 where there is no outcome, anything else for a failure.
  integer(c_int32_t) function simulate(theta, num_parameters, seed, x, num_statistics, message, message_size) &
      bind(c, name="epsfree_simulate")
    integer(c_int32_t), value :: num_parameters, num_statistics, message_size
    integer(c_int64_t), value :: seed
    real(c_double), intent(in) :: theta(num_parameters)
    real(c_double), intent(out) :: x(num_statistics)
    character(kind=c_char), intent(out) :: message(message_size)
    real(c_double) :: y(length), variance
    integer(c_int64_t) :: state
    integer :: t

    message = c_null_char
    if (.not. (abs(theta(1)) < 1 .and. theta(2) > 0)) then
      call say("the series is not stationary, or has no noise", message)
      simulate = 1
      return
    end if
    state = ieor(seed, 88172645463325252_c_int64_t)  ! what follows must not start at zero
    if (state == 0) state = 1
    do t = 1, 20
      call step(state)
    end do
    y(1) = theta(2) / sqrt(1 - theta(1)**2) * normal(state)
    do t = 2, length
      y(t) = theta(1) * y(t - 1) + theta(2) * normal(state)
    end do
    variance = sum(y**2) / length
    x(1) = log(variance)
    x(2) = sum(y(2:) * y(:length - 1)) / (length * variance)
    simulate = 0
  end function

  ! Marsaglia's xorshift generator. The state is the caller's.
  subroutine step(state)
    integer(c_int64_t), intent(inout) :: state
    state = ieor(state, ishft(state, 13))
    state = ieor(state, ishft(state, -7))
    state = ieor(state, ishft(state, 17))
  end subroutine

  real(c_double) function uniform(state)
    integer(c_int64_t), intent(inout) :: state
    call step(state)
    uniform = (real(ishft(state, -12), c_double) + 0.5_c_double) / 2.0_c_double**52
  end function

  real(c_double) function normal(state)
    integer(c_int64_t), intent(inout) :: state
    real(c_double) :: radius
    radius = sqrt(-2 * log(uniform(state)))
    normal = radius * cos(8 * atan(1.0_c_double) * uniform(state))
  end function

  subroutine say(text, message)
    character(len=*), intent(in) :: text
    character(kind=c_char), intent(inout) :: message(:)
    integer :: i
    do i = 1, min(len(text), size(message) - 1)
      message(i) = text(i:i)
    end do
  end subroutine

end module
