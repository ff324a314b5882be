//! Texts among arguments, and which file a name stands for.

use std::os::unix::fs::MetadataExt;

use mpiscope_abi::Param;
use mpiscope_places::sum;

use super::view::View;
use crate::process::host_name;
use crate::special;

/// A text argument of C; those of Fortran need a length that stands behind all arguments.
pub fn of_c(view: &View<'_>, param: &Param) -> Option<String> {
    let address = view.word(param).filter(|&a| a != 0 && !view.plan.fortran)?;
    // SAFETY: the call reads the same text.
    let text = unsafe { std::ffi::CStr::from_ptr(address as *const std::ffi::c_char) };
    Some(text.to_string_lossy().into_owned())
}

/// The name of `MPI_File_open`'s file.
pub fn file(view: &View<'_>) -> Option<String> {
    let param = view.plan.params.iter().find(|p| mpiscope_abi::param_name(p) == "filename")?;
    if !view.plan.fortran {
        return of_c(view, param);
    }
    // comm, filename, amode, info, fh, ierror, length of filename
    // SAFETY: arguments of a call that has succeeded.
    unsafe { Some(special::text(view.word(param)?, Some(view.args.get(6)))) }
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
