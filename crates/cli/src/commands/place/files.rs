//! Files for launchers.

use std::path::Path;

use anyhow::Context;
use mpiscope_place::{File, new_ranks};

/// With a table for `MPI_Comm_split`, if processes can stay where they are.
pub fn with_header(mut files: Vec<File>, now: Option<&[u32]>, order: &[u32]) -> Vec<File> {
    if let Some(ranks) = now.and_then(|now| new_ranks(now, order)) {
        let list: Vec<String> = ranks.iter().map(u32::to_string).collect();
        files.push(File {
            launcher: "In the program",
            name: "new_rank.h",
            text: format!("static const int new_rank[] = {{{}}};\n", list.join(", ")),
            how: "MPI_Comm_split(MPI_COMM_WORLD, 0, new_rank[rank], &comm), with the job placed as in the run",
        });
    }
    files
}

/// Writes them into a directory.
pub fn write(folder: &Path, files: &[File]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for file in files {
        let path = folder.join(file.name);
        std::fs::write(&path, &file.text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
