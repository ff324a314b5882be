//! Facts about a process that only the process itself can determine: the memory that MPI_Init takes, and the MPI's control
//! variables, through its tool interface (MPI-5.0 §15.3).

use std::sync::OnceLock;

use mpiscope_abi::settings::{CONTROL_VARIABLES, in_environment};

use crate::mpi::call;

/// What tells processes of one `MPI_COMM_WORLD` from those of another one in the same run, without asking the MPI:
/// launchers that can name a world do so in the environment; processes that Hydra has spawned have their proxy in common.
pub fn of_world(info: &impl Fn(&str, String)) {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(name) = variable("PMIX_NAMESPACE").or_else(|| variable("OMPI_MCA_ess_base_jobid")) {
        info("world.namespace", name);
    }
    let spawned = variable("PMI_SPAWNED").is_some_and(|value| value != "0") || variable("OMPI_PARENT_PORT").is_some();
    if spawned {
        info("world.spawned", "1".into());
    }
    // SAFETY: cannot fail.
    info("parent_pid", unsafe { libc::getppid() }.to_string());
}

/// Settings recorded of a process, and bytes of each value: programs that fill their environment do not fill the rank file.
const MOST_SETTINGS: usize = 128;
const LONGEST_SETTING: usize = 512;

/// Variables of the environment that change what an MPI does, and how many there are. A value that is too long loses its end, which `…` marks.
pub fn settings(found: &impl Fn(&str, String)) {
    let mut count = 0;
    for (name, mut value) in in_environment().take(MOST_SETTINGS) {
        if value.len() > LONGEST_SETTING {
            let end = (0..=LONGEST_SETTING).rev().find(|&end| value.is_char_boundary(end));
            value.truncate(end.unwrap_or(0));
            value.push('…');
        }
        found(&format!("env.{name}"), value);
        count += 1;
    }
    found("settings", count.to_string());
}

/// Resident memory of this process now; `None` where the kernel does not say.
pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    // SAFETY: asks for a constant.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Some(pages * u64::try_from(page).ok()?)
}

/// Each of [`CONTROL_VARIABLES`] that this MPI has, with its value. 50 µs in MPICH; Open MPI opens all of its components for it,
/// which takes 200 ms, so there it is done on request only (`MPISCOPE_MPI_T=on`).
pub fn control_variables(mut found: impl FnMut(&str, String)) {
    if !open_tool_interface() {
        return;
    }
    for name in CONTROL_VARIABLES {
        if let Some(value) = control_variable(name) {
            found(name, value);
        }
    }
}

/// Opens MPI's tool interface; false if that fails. It stays open: MPICH 4.1 to 4.3 forget the texts among their control variables when
/// their last user leaves, and fail where they compare them later (`strcmp` of a null pointer in the fifth reduction).
pub fn open_tool_interface() -> bool {
    static IS_OPEN: OnceLock<bool> = OnceLock::new();
    *IS_OPEN.get_or_init(|| {
        let mut level = 0;
        call::T_init_thread(0, &mut level)
    })
}

fn control_variable(name: &str) -> Option<String> {
    let text: Vec<u8> = name.bytes().chain([0]).collect();
    let mut index = 0;
    if !call::T_cvar_get_index(text.as_ptr(), &mut index) {
        return None;
    }
    let (mut name_length, mut text_length, mut verbosity, mut bind, mut scope) = (0, 0, 0, 0, 0);
    let (mut datatype, mut kind) = (0, 0);
    let none = std::ptr::null_mut();
    let known = call::T_cvar_get_info(
        index,
        none,
        &mut name_length,
        &mut verbosity,
        &mut datatype,
        &mut kind,
        none,
        &mut text_length,
        &mut bind,
        &mut scope,
    );
    // Bound to an object (a communicator, …): it has no value of its own. MPI_T_BIND_NO_OBJECT is 9700 in the MPICH
    // family, 0 elsewhere.
    if !known || (bind != 0 && bind != 9700) {
        return None;
    }
    let (mut size, mut handle, mut count) = (0, 0, 0);
    if !call::Type_size(datatype, &mut size) || !call::T_cvar_handle_alloc(index, none, &mut handle, &mut count) {
        return None;
    }
    let mut value = [0u8; 64];
    // One number, or a short text.
    let fits = count >= 1 && size >= 1 && (count as usize).saturating_mul(size as usize) <= value.len();
    let read = fits && call::T_cvar_read(handle, value.as_mut_ptr());
    call::T_cvar_handle_free(&mut handle);
    let number = |bytes: usize| i64::from_le_bytes(std::array::from_fn(|i| if i < bytes { value[i] } else { 0 }));
    match (read, count, size) {
        (true, 1, 8) => Some(number(8).to_string()),
        (true, 1, 4) => Some((number(4) as i32).to_string()),
        (true, 1, 1) => Some(number(1).to_string()),
        (true, _, 1) => {
            let end = value.iter().position(|&b| b == 0).unwrap_or(value.len());
            Some(String::from_utf8_lossy(&value[..end]).into_owned())
        }
        _ => None,
    }
}
