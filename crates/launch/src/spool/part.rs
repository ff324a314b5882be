//! The part of a run on a host that cannot access the run's directory, and how it is moved into the run.
//!
//! A part is a directory in the host's directory for temporary files with the layout of a run (and the run's id in its
//! `run.json`), so `exec` uses it like any run. It gets into the run as a stream through the standard output of a launcher,
//! or by [`adopt`], after the user has copied the directory.
//!
//! ```text
//! mpiscope-part 1 <run id> <host>\n
//! file <folder>/<name> <bytes>\n  then for each piece:  data <offset> <bytes>\n<bytes>  then  end\n
//! done <files>\n
//! ```
//!
//! Output of the launcher before the first line is skipped. The sender removes nothing before it has read [`TAKEN`].

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufRead, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};

use super::copy::{self, rename_new};
use super::{check_owner, directory_name};
use crate::manifest::Manifest;
use crate::run_dir::RANKS;

/// Confirmation of the receiver that everything is in the run.
pub const TAKEN: &str = "taken";
/// Prefix of the `job_key` of a part; the run's path follows.
pub const PART_OF: &str = "part-of=";
const FOLDERS: [&str; 4] = [RANKS, crate::node::NODES, crate::clocks::CLOCKS, mpiscope_records::cores::FOLDER];
const MAX_LINE_BYTES: u64 = 4096;
const CHUNK_BYTES: usize = 1 << 20;

/// The path of this host's part of a run, whether or not it exists.
pub fn place(run_id: &str) -> PathBuf {
    std::env::temp_dir().join(format!("{}.part", directory_name(run_id)))
}

/// Creates the directory.
///
/// # Errors
///
/// If it cannot be created, or belongs to another user.
pub fn make(run_id: &str) -> io::Result<PathBuf> {
    let dir = place(run_id);
    match DirBuilder::new().mode(0o700).create(&dir) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => check_owner(&dir)?,
        other => other?,
    }
    Ok(dir)
}

/// The part of a run on this host, if it exists.
pub fn find(run_id: &str) -> Option<PathBuf> {
    let dir = place(run_id);
    (check_owner(&dir).is_ok() && is_part_of(&dir, run_id)).then_some(dir)
}

fn is_part_of(dir: &Path, run_id: &str) -> bool {
    Manifest::read(dir).is_ok_and(|manifest| manifest.run_id == run_id)
}

/// This host's part of the run with this directory.
pub fn of_path(run: &Path) -> Option<PathBuf> {
    let key = format!("{PART_OF}{}", run.display());
    let prefix = directory_name("");
    let entries = fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
    let parts = entries.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&prefix) && name.ends_with(".part") && check_owner(path).is_ok()
    });
    let dated = parts.filter_map(|path| Some((Manifest::read(&path).ok()?, path)));
    dated
        .filter(|(manifest, _)| manifest.job_key == key)
        .max_by_key(|(manifest, _)| manifest.start_unix_ns)
        .map(|(_, path)| path)
}

/// The files of a part, as `directory/name` and path.
fn files(part: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for entry in fs::read_dir(part.join(folder)).into_iter().flatten().flatten() {
            if let Some(name) = entry.file_name().to_str().filter(|name| is_name(name)) {
                found.push((format!("{folder}/{name}"), entry.path()));
            }
        }
    }
    found.sort();
    found
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', ' ', '\n', '\0']) && name.len() < 256
}

/// Writes a part to a stream; returns the number of files.
///
/// # Errors
///
/// If a file cannot be read, or the stream is closed.
pub fn send(part: &Path, run_id: &str, host: &str, to: &mut impl Write) -> io::Result<usize> {
    writeln!(to, "mpiscope-part 1 {run_id} {host}")?;
    let files = files(part);
    let mut chunk = vec![0; CHUNK_BYTES];
    for (name, path) in &files {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        writeln!(to, "file {name} {len}")?;
        let mut at = 0;
        while let Some((start, end)) = copy::next_data(&file, at, len)? {
            at = start;
            while at < end {
                let want = CHUNK_BYTES.min((end - at) as usize);
                let got = file.read_at(&mut chunk[..want], at)?;
                if got == 0 {
                    break;
                }
                writeln!(to, "data {at} {got}")?;
                to.write_all(&chunk[..got])?;
                at += got as u64;
            }
            at = at.max(end);
        }
        writeln!(to, "end")?;
    }
    writeln!(to, "done {}", files.len())?;
    to.flush()?;
    Ok(files.len())
}

/// Reads a stream into a run; returns the files. An incomplete stream is discarded.
///
/// # Errors
///
/// If the stream is of another run, invalid or incomplete, or a file cannot be written or exists with other contents.
pub fn receive(from: &mut impl BufRead, run: &Path, run_id: &str) -> io::Result<Vec<PathBuf>> {
    let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut skipped = 0;
    loop {
        let line = line(from)?;
        if let Some(rest) = line.strip_prefix("mpiscope-part ") {
            let mut words = rest.split(' ');
            if (words.next(), words.next()) != (Some("1"), Some(run_id)) {
                return Err(invalid("the part belongs to another run or version"));
            }
            break;
        }
        skipped += 1;
        if skipped > 1000 {
            return Err(invalid("no data from mpiscope arrived"));
        }
    }
    let mut came = Vec::new();
    let result = receive_files(from, run, &mut came);
    if let Err(error) = result {
        came.iter().for_each(|(part, _)| drop(fs::remove_file(part)));
        return Err(error);
    }
    came.into_iter().map(|(part, target)| settle(&part, target)).collect()
}

fn receive_files(from: &mut impl BufRead, run: &Path, came: &mut Vec<(PathBuf, PathBuf)>) -> io::Result<()> {
    let invalid = || io::Error::new(io::ErrorKind::InvalidData, "the stream is invalid");
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let head = line(from)?;
        let words: Vec<&str> = head.split(' ').collect();
        let (name, len) = match words[..] {
            ["file", name, len] => (name, len.parse::<u64>().map_err(|_| invalid())?),
            ["done", count] if count.parse() == Ok(came.len()) => return Ok(()),
            _ => return Err(invalid()),
        };
        let (folder, name) = name
            .split_once('/')
            .filter(|(folder, name)| FOLDERS.contains(folder) && is_name(name))
            .ok_or_else(invalid)?;
        let folder = run.join(folder);
        DirBuilder::new().recursive(true).mode(0o777).create(&folder)?;
        let part = folder.join(format!(".{name}.part.{}", std::process::id()));
        let file = File::create(&part)?;
        came.push((part, folder.join(name)));
        loop {
            let head = line(from)?;
            let words: Vec<&str> = head.split(' ').collect();
            let (offset, bytes) = match words[..] {
                ["data", offset, bytes] => {
                    (offset.parse::<u64>().map_err(|_| invalid())?, bytes.parse::<usize>().map_err(|_| invalid())?)
                }
                ["end"] => break,
                _ => return Err(invalid()),
            };
            if bytes > CHUNK_BYTES || offset.checked_add(bytes as u64).is_none_or(|end| end > len) {
                return Err(invalid());
            }
            from.read_exact(&mut chunk[..bytes])?;
            file.write_all_at(&chunk[..bytes], offset)?;
        }
        file.set_len(len)?;
    }
}

fn line(from: &mut impl BufRead) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)?;
    if bytes.pop() != Some(b'\n') {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the stream ended early"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Gives a file its name, unless the same file exists.
fn settle(part: &Path, target: PathBuf) -> io::Result<PathBuf> {
    match rename_new(part, &target) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if !copy::alike(part, &target) {
                let why = format!(
                    "{} already exists with other contents; the new file is {}",
                    target.display(),
                    part.display()
                );
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
            }
            fs::remove_file(part)?;
        }
        other => other?,
    }
    Ok(target)
}

/// Moves the files of a copied part into the run; returns their number.
///
/// # Errors
///
/// If it is not a part of this run, or a file cannot be copied or exists with other contents.
pub fn adopt(part: &Path, run: &Path, run_id: &str) -> io::Result<Vec<PathBuf>> {
    if !is_part_of(part, run_id) {
        let why = format!("{} is not a part of this run", part.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let mut taken = Vec::new();
    for (name, path) in files(part) {
        let target = run.join(&name);
        DirBuilder::new().recursive(true).mode(0o777).create(target.parent().unwrap_or(run))?;
        let own = target.with_file_name(format!(
            ".{}.part.{}",
            target.file_name().unwrap_or_default().display(),
            std::process::id()
        ));
        let copied = copy::copy_sparse(&path, &own).and_then(|()| settle(&own, target));
        if copied.is_err() {
            let _ = fs::remove_file(&own);
        }
        taken.push(copied?);
    }
    Ok(taken)
}

/// Removes a part that is in the run.
///
/// # Errors
///
/// If a file cannot be removed.
pub fn remove(part: &Path) -> io::Result<()> {
    fs::remove_dir_all(part)
}

/// Waits for the receiver's confirmation on standard input, at most this long.
pub fn is_taken(limit_ms: i32) -> bool {
    let mut input = io::stdin();
    let mut ready = libc::pollfd { fd: input.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one open descriptor.
    if unsafe { libc::poll(&mut ready, 1, limit_ms) } != 1 {
        return false;
    }
    let mut bytes = [0; 16];
    input.read(&mut bytes).is_ok_and(|got| bytes[..got].starts_with(TAKEN.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest;
    use crate::options::Options;

    fn part(dir: &Path) -> String {
        let manifest = manifest::of_new_run(vec!["a".into()], Options::default(), "k".into());
        fs::create_dir_all(dir.join(RANKS)).unwrap();
        fs::create_dir_all(dir.join("nodes")).unwrap();
        fs::write(dir.join("run.json"), manifest.to_text()).unwrap();
        fs::write(dir.join("ranks/.n2.6.rank.part"), "being written").unwrap();
        fs::write(dir.join("ranks/n2.7.exit.json"), "{}\n").unwrap();
        fs::write(dir.join("nodes/n2.json"), "").unwrap();
        let sparse = File::create(dir.join("ranks/n2.7.rank")).unwrap();
        sparse.write_all_at(b"head", 0).unwrap();
        sparse.write_all_at(b"data\nend\n", 5 << 20).unwrap();
        sparse.set_len(9 << 20).unwrap();
        manifest.run_id
    }

    #[test]
    fn what_is_sent_arrives_behind_a_greeting() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("part"), dir.path().join("run"));
        let id = part(&from);
        let mut stream = b"Welcome to n2\n\n".to_vec();
        assert_eq!(send(&from, &id, "n2", &mut stream).unwrap(), 3);
        let came = receive(&mut stream.as_slice(), &to, &id).unwrap();
        assert_eq!(came.len(), 3);
        for name in ["ranks/n2.7.rank", "ranks/n2.7.exit.json", "nodes/n2.json"] {
            assert!(copy::alike(&from.join(name), &to.join(name)), "{name}");
        }
        // Again: the same files are no second ones.
        assert_eq!(receive(&mut stream.as_slice(), &to, &id).unwrap().len(), 3);
        assert_eq!(fs::read_dir(to.join(RANKS)).unwrap().count(), 2);
        assert_eq!(adopt(&from, &to, &id).unwrap().len(), 3);
        assert!(adopt(&from, &to, "ff").is_err());
        assert!(receive(&mut stream.as_slice(), &to, "ff").is_err());
    }

    #[test]
    fn a_stream_that_ends_early_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("part"), dir.path().join("run"));
        let id = part(&from);
        let mut stream = Vec::new();
        send(&from, &id, "n2", &mut stream).unwrap();
        for len in (0..stream.len()).step_by(stream.len() / 300) {
            assert!(receive(&mut &stream[..len], &to, &id).is_err(), "{len}");
            let left = fs::read_dir(to.join(RANKS)).map_or(0, Iterator::count);
            assert_eq!(left, 0, "{len}");
        }
    }

    #[test]
    fn names_do_not_lead_out_of_the_run() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["../x", "ranks/../../x", "ranks/.hidden", "/etc/x", "run.json", "ranks/", "ranks/a/b"] {
            let stream = format!("mpiscope-part 1 ab n\nfile {name} 1\ndata 0 1\nxend\ndone 1\n");
            assert!(receive(&mut stream.as_bytes(), dir.path(), "ab").is_err(), "{name}");
        }
        for lie in [
            "file ranks/a 1\ndata 1 1\nx",
            "file ranks/a 1\ndata 18446744073709551615 1\nx",
            "file ranks/a 9\ndata 0 99999999999\n",
        ] {
            assert!(receive(&mut format!("mpiscope-part 1 ab n\n{lie}").as_bytes(), dir.path(), "ab").is_err());
        }
    }
}
