//! How processes of a run on other hosts find a listening one and authenticate each other.

pub mod address;
mod token;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::TcpListener;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use token::Token;

const FORMAT: u32 = 1;
const MAX_BYTES: u64 = 64 << 10;

/// A file in the run with the address of a listener. Readable only by the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meeting {
    pub(crate) format: u32,
    /// Host of the listener.
    pub host: String,
    /// TCP port of the listener.
    pub port: u16,
    /// Addresses of the active network interfaces, without loopback; IPv4 first.
    pub addresses: Vec<String>,
    /// See [`Token`].
    pub token: String,
}

impl Meeting {
    /// Reads a file; `None` if it is missing or invalid.
    pub fn read(path: &Path) -> Option<Self> {
        if fs::metadata(path).ok()?.len() > MAX_BYTES {
            return None;
        }
        let found: Self = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (found.format == FORMAT).then_some(found)
    }

    /// An entry for this process, with a new token.
    pub fn here(host: &str, port: u16) -> Self {
        Self { format: FORMAT, host: host.into(), port, addresses: address::own(), token: Token::text() }
    }

    /// Creates the file; false if it exists.
    ///
    /// # Errors
    ///
    /// If the directory is not writable.
    pub fn publish(&self, path: &Path) -> io::Result<bool> {
        let part = self.write_part(path)?;
        let linked = fs::hard_link(&part, path);
        let _ = fs::remove_file(&part);
        match linked {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Replaces an earlier file.
    ///
    /// # Errors
    ///
    /// If the directory is not writable.
    pub fn replace(&self, path: &Path) -> io::Result<()> {
        fs::rename(self.write_part(path)?, path)
    }

    fn write_part(&self, path: &Path) -> io::Result<PathBuf> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let part = path.with_file_name(format!(".{name}.{}.{}", self.host, std::process::id()));
        let _ = fs::remove_file(&part);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part)?;
        file.write_all(serde_json::to_string(self)?.as_bytes())?;
        Ok(part)
    }
}

/// A non-blocking socket that listens on every address, at a port chosen by the system.
///
/// # Errors
///
/// If the system has no free port or descriptor.
pub fn listener() -> io::Result<TcpListener> {
    // IPv4 and IPv6 in one socket, if the system has IPv6.
    let listener = TcpListener::bind("[::]:0").or_else(|_| TcpListener::bind("0.0.0.0:0"))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_there_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("reference.json");
        assert_eq!(Meeting::read(&path), None);
        let (one, two) = (Meeting::here("n1", 1), Meeting::here("n2", 2));
        assert!(one.publish(&path).unwrap());
        assert!(!two.publish(&path).unwrap());
        assert_eq!(Meeting::read(&path), Some(one));
        let again = Meeting::here("n1", 3);
        again.replace(&path).unwrap();
        assert_eq!(Meeting::read(&path), Some(again));
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn tokens() {
        assert!(Token::parse(&Token::text()).is_some());
        for text in ["", "0", &"g".repeat(64), &"ä".repeat(32), &"0".repeat(65)] {
            assert!(Token::parse(text).is_none(), "{text}");
        }
    }
}
