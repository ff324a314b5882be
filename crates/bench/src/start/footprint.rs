//! The memory of this process, according to the kernel.

use std::fs;

/// Memory at one moment, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Pages that are mapped and present.
    pub resident: u64,
    /// The same, with each shared page divided by the number of processes that have it. What one more process costs.
    pub proportional: u64,
}

impl Footprint {
    /// `None` where the kernel does not show it (Linux before 4.14, or without `CONFIG_PROC_PAGE_MONITOR`).
    pub fn now() -> Option<Footprint> {
        parse(&fs::read_to_string("/proc/self/smaps_rollup").ok()?)
    }
}

fn parse(rollup: &str) -> Option<Footprint> {
    let bytes = |name: &str| {
        let line = rollup.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
    };
    Some(Footprint { resident: bytes("Rss:")?, proportional: bytes("Pss:")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn the_kernel_s_text_is_read() {
        let text =
            "5581-7ffd ---p 00000000 00:00 0      [rollup]\nRss:    1234 kB\nPss:     617 kB\nPss_Dirty:   99 kB\n";
        assert_eq!(parse(text), Some(Footprint { resident: 1234 << 10, proportional: 617 << 10 }));
        assert_eq!(parse("Rss:  12 kB\n"), None);
        assert_eq!(parse("Rss:  x kB\nPss: 1 kB\n"), None);
    }

    #[test]
    fn memory_that_is_used_is_seen() {
        let Some(before) = Footprint::now() else { return };
        let used = black_box(vec![1u8; 64 << 20]);
        let after = Footprint::now().unwrap();
        assert!(after.proportional >= before.proportional + (32 << 20), "{before:?} {after:?}");
        drop(used);
    }
}
