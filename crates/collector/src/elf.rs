//! Objects mapped into the process, read from memory: their dynamic symbols and the slots that the dynamic loader has filled.
//!
//! The loader's functions are avoided if they would run code (`dlopen`) or search in an order that depends on the caller
//! (`RTLD_NEXT`).

use std::ffi::{CStr, c_char, c_int, c_void};

use libc::{Elf64_Phdr, Elf64_Sym, dl_phdr_info};

/// A mapped object.
#[derive(Clone)]
pub struct Object {
    /// Load bias.
    pub base: usize,
    /// First and one past the last mapped address.
    pub range: (usize, usize),
    /// Path as the loader has it; empty for the main program.
    pub path: String,
    /// `NT_GNU_BUILD_ID`.
    pub build_id: Vec<u8>,
    /// Compiled with `-fsanitize=thread`: it needs the runtime that goes with that.
    pub instrumented: bool,
    /// Address of the table of annotations that a note of `mpiscope.h` names.
    pub hooks: Option<usize>,
    symbols: *const Elf64_Sym,
    strings: *const u8,
    hash: *const u32,
    relocations: [(*const Rela, usize); 2],
    /// Address and length of the index of the unwind tables.
    unwind: (usize, usize),
    /// Mapped, readable segments.
    segments: Vec<(usize, usize)>,
}

#[repr(C)]
struct Rela {
    offset: u64,
    info: u64,
    addend: i64,
}

/// Version and size, which every version of the table has.
const HOOKS_BYTES: usize = 8;

/// Relocations of a slot that holds a symbol's address: in data, in the GOT, of the PLT.
#[cfg(target_arch = "x86_64")]
const R_SLOTS: [u32; 3] = [1, 6, 7];
#[cfg(target_arch = "aarch64")]
const R_SLOTS: [u32; 3] = [257, 1025, 1026];

/// Every object of the process in load order.
pub fn objects() -> Vec<Object> {
    let mut found: Vec<Object> = Vec::with_capacity(64);
    unsafe extern "C" fn visit(info: *mut dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
        // SAFETY: `data` is the vector below; the loader keeps `info` valid during the call.
        unsafe {
            if let Some(object) = Object::read(&*info) {
                (*data.cast::<Vec<Object>>()).push(object);
            }
        }
        0
    }
    // SAFETY: the callback matches.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    found
}

/// The object that contains `address`. Stacks are walked with this: of the others, of which a program like Python has
/// hundreds, nothing but their ranges is read.
pub fn containing(address: usize) -> Option<Object> {
    struct Wanted {
        address: usize,
        found: Option<Object>,
    }
    unsafe extern "C" fn visit(info: *mut dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
        // SAFETY: `data` is the value below; the loader keeps `info` valid during the call.
        unsafe {
            let wanted = &mut *data.cast::<Wanted>();
            let (first, last) = range(headers(&*info), (*info).dlpi_addr as usize);
            if (first..last).contains(&wanted.address) {
                wanted.found = Object::read(&*info);
            }
            wanted.found.is_some().into()
        }
    }
    let mut wanted = Wanted { address, found: None };
    // SAFETY: the callback matches.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut wanted).cast()) };
    wanted.found
}

/// # Safety
/// What the loader says of an object, while it is there.
unsafe fn headers(info: &dl_phdr_info) -> &[Elf64_Phdr] {
    if info.dlpi_phdr.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) }
}

/// Addresses from the first byte that is loaded to one past the last.
fn range(headers: &[Elf64_Phdr], base: usize) -> (usize, usize) {
    headers.iter().filter(|header| header.p_type == libc::PT_LOAD).fold((usize::MAX, 0), |(first, last), header| {
        let at = base.wrapping_add(header.p_vaddr as usize);
        (first.min(at), last.max(at.wrapping_add(header.p_memsz as usize)))
    })
}

impl Object {
    unsafe fn read(info: &dl_phdr_info) -> Option<Object> {
        let base = info.dlpi_addr as usize;
        let headers = unsafe { headers(info) };
        let mut object = Object {
            base,
            range: range(headers, base),
            path: unsafe { CStr::from_ptr(or_empty(info.dlpi_name)) }.to_string_lossy().into_owned(),
            build_id: Vec::new(),
            instrumented: false,
            hooks: None,
            symbols: std::ptr::null(),
            strings: std::ptr::null(),
            hash: std::ptr::null(),
            relocations: [(std::ptr::null(), 0); 2],
            unwind: (0, 0),
            segments: Vec::new(),
        };
        for header in headers {
            let at = base.wrapping_add(header.p_vaddr as usize);
            match header.p_type {
                libc::PT_LOAD if header.p_flags & libc::PF_R != 0 => {
                    object.segments.push((at, at.wrapping_add(header.p_memsz as usize)));
                }
                libc::PT_GNU_EH_FRAME => object.unwind = (at, header.p_memsz as usize),
                libc::PT_NOTE => unsafe { object.note(at, header.p_memsz as usize) },
                libc::PT_DYNAMIC => unsafe { object.dynamic(at) },
                _ => {}
            }
        }
        let (first, last) = object.range;
        object.hooks = object.hooks.filter(|&at| first <= at && at.saturating_add(HOOKS_BYTES) <= last && at % 8 == 0);
        (first < last).then_some(object)
    }

    unsafe fn note(&mut self, mut at: usize, length: usize) {
        let end = at + length;
        while at + 12 <= end {
            let word = |i: usize| unsafe { *((at + 4 * i) as *const u32) } as usize;
            let (name, size, kind) = (word(0), word(1), word(2));
            let payload = at + 12 + name.next_multiple_of(4);
            if kind == 3 && name == 4 && unsafe { *((at + 12) as *const [u8; 4]) } == *b"GNU\0" && size <= 64 {
                self.build_id = unsafe { std::slice::from_raw_parts(payload as *const u8, size) }.to_vec();
            }
            if kind == 1 && name == 9 && size == 4 && unsafe { *((at + 12) as *const [u8; 9]) } == *b"mpiscope\0" {
                // The distance of the table from these four bytes.
                let distance = unsafe { *(payload as *const i32) };
                self.hooks = Some(payload.wrapping_add_signed(distance as isize));
            }
            at = payload + size.next_multiple_of(4);
        }
    }

    unsafe fn dynamic(&mut self, at: usize) {
        let mut entry = at as *const [u64; 2];
        let mut sizes = [0usize; 2];
        let mut needed = Vec::new();
        loop {
            let [tag, value] = unsafe { *entry };
            // glibc has relocated these pointers in place, except in the vDSO and on a few
            // architectures: an address below the bias is an offset.
            let pointer = if (value as usize) < self.base { self.base + value as usize } else { value as usize };
            match tag {
                0 => break,
                1 => needed.push(value as usize),
                5 => self.strings = pointer as *const u8,
                6 => self.symbols = pointer as *const Elf64_Sym,
                0x6fff_fef5 => self.hash = pointer as *const u32,
                7 => self.relocations[0].0 = pointer as *const Rela,
                8 => sizes[0] = value as usize,
                23 => self.relocations[1].0 = pointer as *const Rela,
                2 => sizes[1] = value as usize,
                _ => {}
            }
            entry = unsafe { entry.add(1) };
        }
        for (i, size) in sizes.into_iter().enumerate() {
            self.relocations[i].1 = size / size_of::<Rela>();
        }
        // SAFETY: offsets into the table of names, which the loader uses as well.
        let name = |&at: &usize| unsafe { CStr::from_ptr(self.strings.add(at).cast()) }.to_bytes();
        let runtimes: [&[u8]; 2] = [b"libtsan.so.", b"libclang_rt.tsan"];
        self.instrumented = !self.strings.is_null()
            && needed.iter().map(name).any(|name| runtimes.iter().any(|runtime| name.starts_with(runtime)));
    }

    /// The entry of a symbol in the dynamic symbol table, defined or not.
    ///
    /// Objects without a GNU hash table (none since 2006) define nothing here.
    pub fn find(&self, name: &str) -> Option<*const Elf64_Sym> {
        if self.hash.is_null() || self.symbols.is_null() || self.strings.is_null() {
            return None;
        }
        let hash = gnu_hash(name);
        // SAFETY: the loader reads the same tables; layout as in the GNU hash specification.
        unsafe {
            let [buckets, offset, bloom, shift] = *self.hash.cast::<[u32; 4]>();
            if buckets == 0 || bloom == 0 {
                return None;
            }
            let filter = self.hash.add(4).cast::<u64>();
            let word = filter.add((hash / 64 % bloom) as usize).read_unaligned();
            let mask = 1u64 << (hash % 64) | 1u64 << (hash.checked_shr(shift).unwrap_or(0) % 64);
            if word & mask != mask {
                return None;
            }
            let bucket = filter.add(bloom as usize).cast::<u32>();
            let chain = bucket.add(buckets as usize);
            let mut index = *bucket.add((hash % buckets) as usize);
            if index < offset {
                return None;
            }
            loop {
                let here = *chain.add((index - offset) as usize);
                if here | 1 == hash | 1 && self.name_is(index, name) {
                    return Some(self.symbols.add(index as usize));
                }
                if here & 1 != 0 {
                    return None;
                }
                index += 1;
            }
        }
    }

    unsafe fn name_is(&self, index: u32, name: &str) -> bool {
        let at = unsafe { self.strings.add((*self.symbols.add(index as usize)).st_name as usize) };
        unsafe { CStr::from_ptr(at.cast::<c_char>()) }.to_bytes() == name.as_bytes()
    }

    /// Address of a symbol that this object itself defines.
    pub fn defines(&self, name: &str) -> Option<usize> {
        let symbol = unsafe { *self.find(name)? };
        if symbol.st_shndx == 0 || symbol.st_value == 0 || symbol.st_info & 15 == 6 {
            return None;
        }
        let address = self.base.wrapping_add(symbol.st_value as usize);
        if symbol.st_info & 15 == 10 {
            // An indirect function: its resolver returns the address.
            // SAFETY: that is what such a symbol is.
            let resolver: extern "C" fn() -> usize = unsafe { std::mem::transmute(address) };
            return Some(resolver());
        }
        Some(address)
    }

    /// Whether this object itself defines `name` as a function.
    pub fn defines_function(&self, name: &str) -> bool {
        // SAFETY: an entry of the mapped symbol table.
        self.defines(name).is_some() && self.find(name).is_some_and(|s| matches!(unsafe { (*s).st_info } & 15, 2 | 10))
    }

    /// Every function that this object exports.
    pub fn functions<'a>(&'a self, mut visit: impl FnMut(&'a str)) {
        if self.hash.is_null() || self.symbols.is_null() || self.strings.is_null() {
            return;
        }
        // SAFETY: as in `find`. Defined symbols are those from `offset` on, in chains that end with an odd word.
        unsafe {
            let [buckets, offset, bloom, _] = *self.hash.cast::<[u32; 4]>();
            let bucket = self.hash.add(4).cast::<u64>().add(bloom as usize).cast::<u32>();
            let chain = bucket.add(buckets as usize);
            let last = (0..buckets as usize).map(|i| *bucket.add(i)).max().unwrap_or(0);
            if last < offset {
                return;
            }
            let mut index = offset;
            loop {
                let symbol = &*self.symbols.add(index as usize);
                if matches!(symbol.st_info & 15, 2 | 10) && symbol.st_shndx != 0 {
                    let name = CStr::from_ptr(self.strings.add(symbol.st_name as usize).cast::<c_char>());
                    if let Ok(name) = name.to_str() {
                        visit(name);
                    }
                }
                if index >= last && *chain.add((index - offset) as usize) & 1 != 0 {
                    return;
                }
                index += 1;
            }
        }
    }

    /// The index of the unwind tables: its address and its bytes.
    #[cfg_attr(target_arch = "aarch64", allow(dead_code))] // stacks are walked without tables
    pub fn eh_frame_hdr(&self) -> Option<(usize, &[u8])> {
        let (at, length) = self.unwind;
        let bytes = self.mapped(at)?;
        Some((at, bytes.get(..length)?))
    }

    /// The mapped segment that an address is in: where it begins and ends.
    #[cfg(target_arch = "x86_64")]
    pub fn segment(&self, address: usize) -> Option<(usize, usize)> {
        self.segments.iter().copied().find(|s| (s.0..s.1).contains(&address))
    }

    /// Everything from `address` to the end of its segment.
    #[cfg_attr(target_arch = "aarch64", allow(dead_code))] // stacks are walked without tables
    pub fn mapped(&self, address: usize) -> Option<&[u8]> {
        let segment = self.segments.iter().find(|s| (s.0..s.1).contains(&address))?;
        // SAFETY: mapped readable for as long as the object is; callers hold it no longer than a call of
        // one of its functions is on the stack.
        Some(unsafe { std::slice::from_raw_parts(address as *const u8, segment.1 - address) })
    }

    /// Start of the string table, from which `st_name` counts.
    pub fn strings(&self) -> usize {
        self.strings as usize
    }

    /// Slots that hold the address of a symbol this object uses and whose name may be one of an MPI
    /// (`MPI_`, `mpi_`, `PMPI_`, `MPIX_`): (slot, name).
    pub fn slots(&self, mut visit: impl FnMut(*mut usize, &str)) {
        if self.symbols.is_null() || self.strings.is_null() {
            return;
        }
        for (first, count) in self.relocations {
            for i in 0..if first.is_null() { 0 } else { count } {
                // SAFETY: the loader has applied exactly these.
                unsafe {
                    let rela = &*first.add(i);
                    let (kind, index) = (rela.info as u32, (rela.info >> 32) as usize);
                    if !R_SLOTS.contains(&kind) || index == 0 || rela.addend != 0 {
                        continue;
                    }
                    let symbol = &*self.symbols.add(index);
                    let at = self.strings.add(symbol.st_name as usize);
                    // Programs have a hundred thousand slots; few are of an MPI.
                    if !matches!(*at, b'M' | b'm' | b'P') || !matches!(*at.add(1), b'P' | b'p' | b'M') {
                        continue;
                    }
                    let name = CStr::from_ptr(at.cast::<c_char>());
                    if let Ok(name) = name.to_str() {
                        visit(self.base.wrapping_add(rela.offset as usize) as *mut usize, name);
                    }
                }
            }
        }
    }
}

fn or_empty(name: *const c_char) -> *const c_char {
    if name.is_null() { c"".as_ptr() } else { name }
}

/// Hash of the GNU symbol table.
pub fn gnu_hash(name: &str) -> u32 {
    name.bytes().fold(5381u32, |h, c| h.wrapping_mul(33).wrapping_add(c.into()))
}

/// Protection of every mapping, read once.
pub struct Protections(Vec<(usize, usize, c_int)>);

impl Protections {
    /// From the kernel.
    pub fn read() -> Protections {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let line = |line: &str| {
            let mut parts = line.split(' ');
            let (from, to) = parts.next()?.split_once('-')?;
            let (from, to) = (hex(from)?, hex(to)?);
            let flags = parts.next()?;
            let bit = |c: char, value: c_int| if flags.contains(c) { value } else { 0 };
            Some((from, to, bit('r', libc::PROT_READ) | bit('w', libc::PROT_WRITE) | bit('x', libc::PROT_EXEC)))
        };
        Protections(maps.lines().filter_map(line).collect())
    }

    /// Of the mapping around `address`.
    pub fn protection_at(&self, address: usize) -> Option<c_int> {
        self.0.iter().find(|m| (m.0..m.1).contains(&address)).map(|m| m.2)
    }

    /// Stretches without mappings, lowest first.
    pub fn gaps(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let first = self.0.first().map(|first| (0, first.0));
        first.into_iter().chain(self.0.windows(2).map(|pair| (pair[0].1, pair[1].0))).filter(|gap| gap.0 < gap.1)
    }

    /// Runs `change` with the page of `address` (and the next, if `length` reaches into it)
    /// writable, then restores its protection. `false` when the kernel refuses; then `change` was
    /// not run.
    pub fn with_writable(&self, address: usize, length: usize, change: impl FnOnce()) -> bool {
        const PAGE: usize = 4096;
        let begin = address & !(PAGE - 1);
        let span = (address + length).next_multiple_of(PAGE) - begin;
        let mapping = self.0.iter().find(|m| (m.0..m.1).contains(&address));
        let protection = mapping.map_or(libc::PROT_READ, |m| m.2);
        if protection & libc::PROT_WRITE != 0 {
            change();
            return true;
        }
        // SAFETY: only protection changes; the pages stay mapped.
        unsafe {
            if libc::mprotect(begin as *mut c_void, span, protection | libc::PROT_READ | libc::PROT_WRITE) != 0 {
                return false;
            }
            change();
            libc::mprotect(begin as *mut c_void, span, protection);
        }
        true
    }
}

fn hex(text: &str) -> Option<usize> {
    usize::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_executable_and_data_is_not() {
        let protections = Protections::read();
        let code = protections.protection_at(Protections::read as *const () as usize).unwrap();
        assert_eq!(code, libc::PROT_READ | libc::PROT_EXEC);
        let data = protections.protection_at(&raw const protections as usize).unwrap();
        assert_eq!(data & (libc::PROT_WRITE | libc::PROT_EXEC), libc::PROT_WRITE);
        assert!(protections.gaps().all(|gap| protections.protection_at(gap.0).is_none()));
    }

    #[test]
    fn finds_libc() {
        let all = objects();
        let libc_object = all.iter().find(|o| o.path.contains("libc.so")).expect("libc");
        let address = libc_object.defines("getpid").expect("getpid");
        assert!((libc_object.range.0..libc_object.range.1).contains(&address));
        assert!(libc_object.defines("no_such_function").is_none());
        assert_eq!(containing(address).unwrap().path, libc_object.path);
    }
}
