//! The address of the page: the token and the port of a run's page are stored with the run, so that the next server has the same.
//!
//! Only the owner may read the file: the token gives access to the run. `docs/decisions/0030-kept-token.md` states against
//! whom that protects, and against whom it does not.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::guard;
use crate::private::{self, is_private, own_id};

/// In the folder of the run.
const FILE: &str = "view.address";
/// Such a file has a few dozen bytes.
const MOST_BYTES: u64 = 1000;

/// The content of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Address {
    token: String,
    port: u16,
}

impl Address {
    /// Whether [`guard::token`] can have made it.
    fn is_sound(&self) -> bool {
        self.token.len() == 32 && self.token.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    }
}

/// A file that only its owner should be able to read, but others can.
#[derive(Debug, thiserror::Error)]
pub enum NotPrivate {
    /// A symbolic link instead of the file.
    #[error("{path} is a symbolic link, but mpiscope keeps the address of the page in a regular file there: remove the link", path = .0.display())]
    Link(PathBuf),
    /// A directory or the like instead of the file.
    #[error("{path} is not a regular file, but mpiscope keeps the address of the page there: remove it", path = .0.display())]
    NoFile(PathBuf),
    /// The file, and its permissions.
    #[error(
        "others may open {path} (mode {mode:03o}), and with the address in it this run; \
         `chmod 600 {path}` keeps the address, after `rm {path}` mpiscope makes a new one", path = .0.display(), mode = .1
    )]
    Others(PathBuf, u32),
    /// A new address needs random numbers.
    #[error("the system provides no random numbers: {0}")]
    Random(#[from] io::Error),
}

/// The token of a server, and where it is stored.
#[derive(Debug)]
pub struct Links {
    address: Address,
    /// The content of the file.
    known: Option<Address>,
    /// None where nothing is stored.
    file: Option<PathBuf>,
}

impl Links {
    /// An address that ends with the server.
    ///
    /// # Errors
    ///
    /// If the system provides no random numbers.
    pub fn passing() -> io::Result<Links> {
        Ok(Links { address: Address { token: guard::token()?, port: 0 }, known: None, file: None })
    }

    /// An address that is valid as long as the run exists.
    ///
    /// # Errors
    ///
    /// If the file with the address is not a regular file or accessible to others, or the system provides no random
    /// numbers.
    pub fn open(run: &Path) -> Result<Links, NotPrivate> {
        let file = run.join(FILE);
        Ok(match read(&file)? {
            Known::Nothing => Links { file: Some(file), ..Links::passing()? },
            Known::Address(known) => Links { address: known.clone(), known: Some(known), file: Some(file) },
            // The file of the run's owner, or of a stranger who wants this server to use a known token.
            Known::Foreign => Links::passing()?,
        })
    }

    /// 0 for any port.
    pub(crate) fn port(&self) -> u16 {
        self.address.port
    }

    /// Their port is in use. Another server of this user may have it, which keeps it. A stranger's server may have got the token by
    /// a link that was opened meanwhile.
    pub(crate) fn elsewhere(self) -> io::Result<Links> {
        match is_ours(self.address.port) {
            true => Ok(Links { file: None, ..self }),
            false => Ok(Links { file: self.file, ..Links::passing()? }),
        }
    }

    /// Whether the next server will have the same token and port.
    pub(crate) fn keep(&self, port: u16) -> bool {
        let Some(file) = &self.file else { return false };
        let address = Address { port, ..self.address.clone() };
        self.known.as_ref() == Some(&address) || write(file, &address).is_ok()
    }

    pub(crate) fn into_token(self) -> String {
        self.address.token
    }
}

enum Known {
    Nothing,
    Address(Address),
    Foreign,
}

/// The content of a file, if no other user can have written it or can read it.
fn read(path: &Path) -> Result<Known, NotPrivate> {
    let file = match private::open(path) {
        Ok(file) => file,
        Err(why) if why.raw_os_error() == Some(libc::ELOOP) => return Err(NotPrivate::Link(path.into())),
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Known::Nothing),
        Err(_) => return Ok(Known::Foreign),
    };
    // Checks the opened file, not the one that the name refers to by now.
    let Ok(about) = file.metadata() else { return Ok(Known::Foreign) };
    if !about.is_file() {
        return Err(NotPrivate::NoFile(path.into()));
    }
    if about.uid() != own_id() {
        return Ok(Known::Foreign);
    }
    if !is_private(&about) {
        return Err(NotPrivate::Others(path.into(), about.mode() & 0o777));
    }
    let mut text = String::new();
    let is_read = file.take(MOST_BYTES).read_to_string(&mut text).is_ok();
    let address = serde_json::from_str(&text).ok().filter(|address: &Address| is_read && address.is_sound());
    Ok(address.map_or(Known::Nothing, Known::Address))
}

fn write(path: &Path, address: &Address) -> io::Result<()> {
    private::write(path, serde_json::to_string(address)?.as_bytes())
}

/// Whether every process that listens at a port belongs to this user; false if that is unknown.
fn is_ours(port: u16) -> bool {
    let tables: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"].iter().flat_map(fs::read_to_string).collect();
    let users: Vec<u32> = tables.iter().flat_map(|table| listeners(table, port)).collect();
    !users.is_empty() && users.iter().all(|&user| user == own_id())
}

/// The user that listens at a port, from a table of the kernel.
fn listeners(table: &str, port: u16) -> Vec<u32> {
    const LISTENS: &str = "0A";
    let user = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (_, local) = words.get(1)?.rsplit_once(':')?;
        let is_it = u16::from_str_radix(local, 16).ok()? == port && *words.get(3)? == LISTENS;
        is_it.then(|| words.get(7)?.parse().ok())?
    };
    table.lines().skip(1).filter_map(user).collect()
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::Server;

    fn bind(run: &Path) -> Server {
        Server::bind(0, Links::open(run).unwrap()).unwrap()
    }

    #[test]
    fn the_next_server_of_a_run_has_the_same_address() {
        let run = tempfile::tempdir().unwrap();
        let first = bind(run.path());
        let url = first.url();
        assert!(first.is_kept());
        // While it runs, another server gets its own port, and the links stay with the first.
        let second = bind(run.path());
        assert!(second.url() != url && !second.is_kept());
        drop((first, second));
        assert_eq!(bind(run.path()).url(), url);
        assert_eq!(fs::metadata(run.path().join(FILE)).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(run.path()).unwrap().count(), 1, "nothing else is left behind");
        let other = tempfile::tempdir().unwrap();
        assert_ne!(Links::open(other.path()).unwrap().into_token(), Links::open(run.path()).unwrap().into_token());
    }

    #[test]
    fn what_others_may_read_or_is_a_link_is_refused() {
        let run = tempfile::tempdir().unwrap();
        drop(bind(run.path()));
        let file = run.path().join(FILE);
        for mode in [0o640, 0o604, 0o660, 0o602] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let why = Links::open(run.path()).unwrap_err().to_string();
            assert!(why.contains(&format!("{mode:03o}")) && why.contains("chmod 600"), "{why}");
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let elsewhere = run.path().join("elsewhere");
        fs::rename(&file, &elsewhere).unwrap();
        symlink(&elsewhere, &file).unwrap();
        assert!(matches!(Links::open(run.path()), Err(NotPrivate::Link(_))));
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(matches!(Links::open(run.path()), Err(NotPrivate::NoFile(_))));
    }

    #[test]
    fn without_a_place_for_it_the_token_is_new_each_time() {
        let run = tempfile::tempdir().unwrap();
        let nowhere = run.path().join("nowhere");
        let (first, second) = (bind(&nowhere), bind(&nowhere));
        assert!(!first.is_kept() && first.token != second.token);
    }

    #[test]
    fn a_broken_file_is_written_anew() {
        let run = tempfile::tempdir().unwrap();
        for text in ["", "{", r#"{"token":"../..","port":1}"#, r#"{"token":"","port":70000}"#] {
            write(&run.path().join(FILE), &Address { token: String::new(), port: 0 }).unwrap();
            fs::write(run.path().join(FILE), text).unwrap();
            let server = bind(run.path());
            assert!(server.is_kept() && server.token.len() == 32, "{text}");
        }
    }

    #[test]
    fn who_listens_is_known_by_the_kernel() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        assert!(is_ours(listener.local_addr().unwrap().port()));
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
             0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 1 1\n\
             1: 0100007F:1F90 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1002        0 1 1\n\
             2: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1003        0 1 1\n";
        assert_eq!(listeners(table, 0x1f90), [1001]);
        assert!(listeners(table, 1).is_empty());
    }

    #[test]
    fn a_port_that_somebody_else_has_taken_ends_the_token() {
        let run = tempfile::tempdir().unwrap();
        let kept = Address { token: guard::token().unwrap(), port: 1 };
        write(&run.path().join(FILE), &kept).unwrap();
        // No mpiscope server listens at port 1.
        let links = Links::open(run.path()).unwrap().elsewhere().unwrap();
        assert!(links.address.token != kept.token && links.file.is_some());
    }
}
