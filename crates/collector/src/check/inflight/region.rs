//! The mapping that contains an address, from the kernel: by a query, or from the textual list of mappings where queries are not
//! supported (before Linux 6.11).

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;

/// A mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub begin: u64,
    /// One past the last.
    pub end: u64,
    /// It can be read.
    pub readable: bool,
    /// It can be written.
    pub writable: bool,
    /// It holds code.
    pub executable: bool,
    /// It is shared with other processes.
    pub shared: bool,
}

/// `struct procmap_query`.
#[repr(C)]
#[derive(Default)]
struct Query {
    size: u64,
    query_flags: u64,
    query_addr: u64,
    vma_start: u64,
    vma_end: u64,
    vma_flags: u64,
    vma_page_size: u64,
    vma_offset: u64,
    inode: u64,
    dev_major: u32,
    dev_minor: u32,
    vma_name_size: u32,
    build_id_size: u32,
    vma_name_addr: u64,
    build_id_addr: u64,
}

/// `_IOWR('f', 17, struct procmap_query)`.
const PROCMAP_QUERY: u64 = 3 << 30 | (size_of::<Query>() as u64) << 16 | (b'f' as u64) << 8 | 17;
const READABLE: u64 = 1;
const WRITABLE: u64 = 2;
const EXECUTABLE: u64 = 4;
const SHARED: u64 = 8;

/// The mapping that contains an address.
pub fn at(address: u64) -> Option<Region> {
    // Of this process: a child of it asks about itself.
    let file = File::open("/proc/self/maps").ok()?;
    match ask(&file, address) {
        Ok(region) => region,
        Err(()) => in_text(&std::io::read_to_string(file).ok()?, address),
    }
}

fn ask(file: &File, address: u64) -> Result<Option<Region>, ()> {
    let mut query = Query { size: size_of::<Query>() as u64, query_addr: address, ..Query::default() };
    // SAFETY: the structure that the request names.
    let done = unsafe { libc::ioctl(file.as_raw_fd(), PROCMAP_QUERY as _, &raw mut query) };
    if done == 0 {
        let has = |flag| query.vma_flags & flag != 0;
        return Ok(Some(Region {
            begin: query.vma_start,
            end: query.vma_end,
            readable: has(READABLE),
            writable: has(WRITABLE),
            executable: has(EXECUTABLE),
            shared: has(SHARED),
        }));
    }
    match std::io::Error::last_os_error().raw_os_error() {
        Some(libc::ENOENT) => Ok(None),
        _ => Err(()),
    }
}

fn in_text(text: &str, address: u64) -> Option<Region> {
    text.lines().filter_map(of_line).map(|(region, _)| region).find(|r| (r.begin..r.end).contains(&address))
}

/// Parses a line of the list: the mapping and its name.
fn of_line(line: &str) -> Option<(Region, &str)> {
    let mut fields = line.split_ascii_whitespace();
    let (begin, end) = fields.next()?.split_once('-')?;
    let rights = fields.next()?.as_bytes();
    let has = |at: usize, letter| rights.get(at) == Some(&letter);
    let region = Region {
        begin: u64::from_str_radix(begin, 16).ok()?,
        end: u64::from_str_radix(end, 16).ok()?,
        readable: has(0, b'r'),
        writable: has(1, b'w'),
        executable: has(2, b'x'),
        shared: has(3, b's'),
    };
    Some((region, fields.nth(3).unwrap_or("")))
}

/// End of the first thread's stack, which grows downwards from there.
pub fn main_stack_end() -> u64 {
    static END: OnceLock<u64> = OnceLock::new();
    *END.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        text.lines().filter_map(of_line).find(|(_, name)| *name == "[stack]").map_or(0, |(region, _)| region.end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_say_the_same() {
        static DATA: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(7);
        let here = [0u8; 8];
        let text = std::fs::read_to_string("/proc/self/maps").unwrap();
        for address in [here.as_ptr() as u64, &raw const DATA as u64, main_stack_end as fn() -> u64 as usize as u64] {
            let (asked, read) = (at(address), in_text(&text, address));
            assert!(asked.is_some_and(|r| r.readable && !r.shared), "{asked:?}");
            assert_eq!(asked.map(|r| (r.writable, r.executable)), read.map(|r| (r.writable, r.executable)));
        }
        assert_eq!((at(8), in_text(&text, 8)), (None, None));
        assert_ne!(main_stack_end(), 0);
    }

    #[test]
    fn a_line() {
        let (region, name) = of_line("7f00-8f00 r--s 00000000 00:05 123    /dev/shm/a b").unwrap();
        let wanted =
            Region { begin: 0x7f00, end: 0x8f00, readable: true, writable: false, executable: false, shared: true };
        assert_eq!((region, name), (wanted, "/dev/shm/a"));
        assert!(of_line("nothing").is_none());
    }
}
