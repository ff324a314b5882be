//! What is set that concerns MPI: collected here from the environment, from Open MPI's files and from the launcher's words, and
//! judged by `mpiscope-tune`.

mod library;

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use mpiscope_launch::elf::Image;
use mpiscope_launch::job;
use mpiscope_launch::launcher::Launcher;
use mpiscope_launch::mpi::{Library, Vendor, memchr_find};
use mpiscope_tune::{Family, FileProblem, Input, Setting, Source, Target, Version, Words, examine, parse_params};

use crate::say;

pub use library::{ask, ask_below, print_list};

/// Largest file of parameters that is read.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Texts in libraries of MPIs that derive from MPICH, and Fujitsu's.
const MARKS: [(&[u8], Family); 3] =
    [(b"CRAY MPICH version", Family::CrayMpich), (b"MVAPICH", Family::Mvapich), (b"mca_btl_tofu", Family::Fujitsu)];

/// The MPI as the tables name it; `None` if its implementation is unknown.
pub fn target(library: &Library) -> Option<Target> {
    let image = Image::open(&library.path).ok();
    let family = match library.vendor? {
        Vendor::Intel => Family::Intel,
        own => {
            let own = if own == Vendor::OpenMpi { Family::OpenMpi } else { Family::Mpich };
            let constants = image.as_ref().and_then(|image| image.constants().ok()).unwrap_or_default();
            let is_in = |mark: &[u8]| memchr_find(constants, mark).is_some();
            MARKS
                .iter()
                .find(|(mark, derived)| own.is_read_by(*derived) && is_in(mark))
                .map_or(own, |(_, derived)| *derived)
        }
    };
    let device = ["MPII_Version_device", "MPIR_Version_device"]
        .iter()
        .find_map(|name| image.as_ref()?.exported_text(name).ok().flatten());
    Some(Target {
        family,
        version: library.version.as_deref().and_then(Version::parse),
        title: library.title(),
        device,
    })
}

/// Everything that is set for programs of this MPI under this launcher.
pub fn gather(library: Option<&Library>, launcher: Option<&Launcher>) -> Input {
    let target = library.and_then(target);
    let is_open_mpi = target.as_ref().is_some_and(|target| matches!(target.family, Family::OpenMpi | Family::Fujitsu));
    let words = launcher.map(|launcher| Words::read(&launcher.words, is_open_mpi));
    let mut input = Input {
        target,
        leaves_host: launcher.is_some_and(|launcher| launcher.may_leave_host(&job::own_env)),
        is_in_job: job::launched(&job::own_env).is_some(),
        ..Input::default()
    };
    for (name, value) in std::env::vars_os() {
        let (name, value) = (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned());
        input.settings.push(Setting { name, value, source: Source::Environment });
    }
    // The order of the environment is that of its making.
    input.settings.sort_by(|one, other| one.name.cmp(&other.name));
    if let Some(words) = &words {
        input.settings.extend(words.settings.iter().cloned());
        for (_, file) in &words.files {
            read(&mut input, Path::new(file), true, |path, line| Source::NamedFile { path, line });
        }
    }
    if is_open_mpi {
        for path in system_files(library) {
            read(&mut input, &path, false, |path, line| Source::SystemFile { path, line });
            let path = path.with_file_name("openmpi-mca-params-override.conf");
            read(&mut input, &path, false, |path, line| Source::OverrideFile { path, line });
        }
        if let Some(home) = std::env::var_os("HOME") {
            let path = Path::new(&home).join(".openmpi/mca-params.conf");
            read(&mut input, &path, false, |path, line| Source::UserFile { path, line });
        }
    }
    input.words = words;
    input
}

/// `openmpi-mca-params.conf` of the installation: beside the library's prefix, or in `/etc` for those of the system.
fn system_files(library: Option<&Library>) -> Vec<PathBuf> {
    let Some(library) = library else { return Vec::new() };
    let prefixes = library.path.ancestors().skip(2).take(4);
    let mut candidates = prefixes.map(|prefix| prefix.join("etc/openmpi-mca-params.conf")).collect::<Vec<_>>();
    candidates.push("/etc/openmpi/openmpi-mca-params.conf".into());
    candidates.push("/etc/openmpi-mca-params.conf".into());
    // Those of the system belong to libraries of the system.
    let is_of_system = ["/usr", "/lib"].iter().any(|dir| library.path.starts_with(dir));
    candidates.retain(|path| path.is_file() && (is_of_system || !path.starts_with("/etc")));
    candidates.truncate(1);
    candidates
}

fn read(input: &mut Input, path: &Path, must_exist: bool, place: impl Fn(String, usize) -> Source) {
    match contents(path) {
        Ok(bytes) => {
            let parsed = parse_params(path, &bytes, place);
            input.settings.extend(parsed.settings);
            input.file_problems.extend(parsed.problems);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && !must_exist => {}
        Err(error) => input.file_problems.push(FileProblem {
            path: path.display().to_string(),
            line: None,
            what: format!("cannot be read: {error}"),
        }),
    }
}

fn contents(path: &Path) -> io::Result<Vec<u8>> {
    let kind = std::fs::metadata(path)?;
    if !kind.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_FILE_BYTES {
        true => Err(io::Error::other("it has more than 1 MiB")),
        false => Ok(bytes),
    }
}

/// One line if something is certainly wrong with what is set for the program that is about to start.
pub fn report_mistakes(library: Option<&Library>, launcher: &Launcher) {
    let Some(library) = library else { return };
    let report = examine(&gather(Some(library), Some(launcher)));
    let wrong = report.worth_a_line();
    if let Some(first) = wrong.first() {
        let more = match wrong.len() {
            1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        say::warning(format_args!("{}{more}; see: mpiscope env", first.text));
    }
}
