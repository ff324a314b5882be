//! Strings among arguments, and the file that a name refers to.

use std::os::unix::fs::MetadataExt;

use mpiscope_abi::Param;
use mpiscope_abi::spec::class;
use mpiscope_codescan::sum;

use super::view::View;
use crate::lifecycle;
use crate::process::host_name;

/// A text argument. Those of Fortran have their lengths behind all arguments, one after the other.
pub fn text(view: &View<'_>, param: &Param) -> Option<String> {
    let address = view.word(param).filter(|&a| a != 0)?;
    if !view.plan.fortran {
        // SAFETY: the call reads the same text.
        let text = unsafe { std::ffi::CStr::from_ptr(address as *const std::ffi::c_char) };
        return Some(text.to_string_lossy().into_owned());
    }
    let params = view.plan.params;
    let arguments = params.iter().map(|p| p.f).filter(|&f| f != u8::MAX).max()?;
    let before = params.iter().filter(|p| p.class == class::STRING && p.f < param.f).count();
    // The last argument of all is ierror.
    let length = u8::try_from(usize::from(arguments) + 2 + before).ok()?;
    // SAFETY: arguments of this call. Old compilers pass lengths of 32 bits.
    unsafe { Some(lifecycle::text(address, Some(view.args.get(length) & u64::from(u32::MAX)))) }
}

/// The name of the file that a call opens or deletes.
pub fn file(view: &View<'_>) -> Option<String> {
    text(view, view.plan.named("filename")?)
}

/// Which file of this host has a name: the same number for all processes that find the same one, 0 unknown.
pub fn identity(name: &str) -> u64 {
    // "ufs:/scratch/out": how to access it, then where it is.
    let path = match name.split_once(':') {
        Some((how, path)) if how.len() > 1 && how.bytes().all(|b| b.is_ascii_alphanumeric()) => path,
        _ => name,
    };
    let Ok(path) = std::fs::canonicalize(path) else { return 0 };
    let Ok(of) = std::fs::metadata(&path) else { return 0 };
    let number = [of.dev().to_le_bytes(), of.ino().to_le_bytes()].concat();
    sum(&[path.as_os_str().as_encoded_bytes(), &number, host_name().as_bytes()].concat()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_with_several_names() {
        let folder = std::env::temp_dir().join(format!("mpiscope-names-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (one, other) = (folder.join("one"), folder.join("other"));
        std::fs::write(&one, "1").unwrap();
        std::fs::write(&other, "1").unwrap();
        let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
        let known = identity(&text(&one));
        assert!(known != 0 && known != identity(&text(&other)));
        assert_eq!(known, identity(&format!("ufs:{}", text(&folder.join(".").join("one")))));
        assert_eq!(identity(&text(&folder.join("none"))), 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
