//! `fork` and `execve`, with everything prepared before the fork.

use std::ffi::{CString, OsStr, OsString};
use std::io::{self, PipeWriter};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{OnDeath, inherited};

/// All signals blocked, with the previous state.
pub(super) struct Blocked {
    mask: libc::sigset_t,
    sigchld: libc::sigaction,
}

impl Blocked {
    pub(super) fn all() -> io::Result<Self> {
        // SAFETY: zeroed sets and actions are valid; all pointers are to locals.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut mask: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            if libc::sigprocmask(libc::SIG_SETMASK, &all, &mut mask) != 0 {
                return Err(io::Error::last_os_error());
            }
            // If SIGCHLD is ignored (which is inherited), the kernel reaps children, and `wait4` would find none.
            let mut default: libc::sigaction = std::mem::zeroed();
            default.sa_sigaction = libc::SIG_DFL;
            let mut sigchld: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGCHLD, &default, &mut sigchld);
            Ok(Self { mask, sigchld })
        }
    }

    pub(super) fn restore(&self) {
        // SAFETY: the calls above have filled both. Signal-safe.
        unsafe {
            libc::sigaction(libc::SIGCHLD, &self.sigchld, std::ptr::null_mut());
            libc::sigprocmask(libc::SIG_SETMASK, &self.mask, std::ptr::null_mut());
        }
    }
}

/// A child that has executed its program.
pub(super) struct Started {
    pub(super) pid: libc::pid_t,
}

impl Started {
    pub(super) fn new(
        path: &Path,
        words: &[String],
        set: &[(&str, OsString)],
        on_death: OnDeath,
        ignored: Option<i32>,
        stderr: Option<&PipeWriter>,
        blocked: &Blocked,
    ) -> io::Result<Self> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        let words: Vec<CString> = words.iter().map(|word| CString::new(word.as_bytes())).collect::<Result<_, _>>()?;
        let env = environment(set)?;
        let word_pointers = pointers(&words);
        let env_pointers = pointers(&env);
        let inherited = inherited::snapshot();
        let stderr = stderr.map(AsRawFd::as_raw_fd).filter(|_| inherited.closed_streams & 1 << 2 == 0);
        let signal = match on_death {
            OnDeath::Kill => libc::SIGKILL,
            OnDeath::Terminate => libc::SIGTERM,
        };
        let mut pipe = [0; 2];
        // SAFETY: the array holds two descriptors.
        if unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let [read_end, write_end] = pipe;
        let parent = std::process::id() as libc::pid_t;
        // SAFETY: the child calls only signal-safe functions, on memory prepared above.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, signal, 0, 0, 0);
                if libc::getppid() != parent {
                    libc::_exit(127);
                }
                // The pipe may have the number of a closed stream.
                let report = libc::fcntl(write_end, libc::F_DUPFD_CLOEXEC, 3);
                inherited.restore();
                if let Some(stderr) = stderr {
                    libc::dup2(stderr, 2);
                }
                // Sent to the whole group, it would end a program that does not handle it.
                if let Some(signal) = ignored {
                    libc::signal(signal, libc::SIG_IGN);
                }
                blocked.restore();
                libc::execve(path.as_ptr(), word_pointers.as_ptr(), env_pointers.as_ptr());
                let code = *libc::__errno_location();
                libc::write(report, (&raw const code).cast(), size_of_val(&code));
                libc::_exit(127);
            }
        }
        let fork_error = io::Error::last_os_error();
        let mut code = 0i32;
        // SAFETY: own descriptors; the buffer is writable for its size.
        let got = unsafe {
            libc::close(write_end);
            let got = if pid > 0 { libc::read(read_end, (&raw mut code).cast(), size_of_val(&code)) } else { 0 };
            libc::close(read_end);
            got
        };
        if pid < 0 {
            return Err(fork_error);
        }
        if got == size_of_val(&code) as isize {
            // SAFETY: the child ends at once; it is reaped here.
            unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
            return Err(io::Error::from_raw_os_error(code));
        }
        Ok(Self { pid })
    }

    /// Closes stdin and stdout here: if the program closes a pipe, the other end has to see that while the program still runs.
    ///
    /// Other descriptors stay open. Hydra interprets the end of its PMI socket as the death of the rank and sends SIGKILL to
    /// the whole group: the socket has to close when this process has ended, not before, or the exit status is lost.
    pub(super) fn let_go_of_streams(&self) {
        // SAFETY: this process uses neither after the fork.
        unsafe {
            let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
            if null >= 0 {
                libc::dup2(null, 0);
                libc::dup2(null, 1);
                if null > 1 {
                    libc::close(null);
                }
            }
        }
    }
}

fn environment(set: &[(&str, OsString)]) -> io::Result<Vec<CString>> {
    let mut env = Vec::new();
    let mut push = |name: &OsStr, value: &OsStr| -> io::Result<()> {
        env.push(CString::new([name.as_bytes(), b"=", value.as_bytes()].concat())?);
        Ok(())
    };
    for (name, value) in std::env::vars_os() {
        if !set.iter().any(|(known, _)| name == *known) {
            push(&name, &value)?;
        }
    }
    for (name, value) in set {
        push(OsStr::new(name), value)?;
    }
    Ok(env)
}

fn pointers(texts: &[CString]) -> Vec<*const libc::c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
}
