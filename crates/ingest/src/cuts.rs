//! Where a run is cut into batches.

/// A chunk of a ring: when its records returned, and how many bytes they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeSlice {
    pub start_ns: u64,
    pub end_ns: u64,
    pub bytes: u64,
}

/// Moments between which about `enough` bytes were recorded by all threads together, in order. The same moments for all
/// ranks: what they do together is then together in a batch as well. Within a chunk records count as evenly spread.
pub(crate) fn cuts(stretches: impl Iterator<Item = TimeSlice>, enough: u64) -> Vec<u64> {
    // Where rates change, bytes a ns.
    let mut changes: Vec<(u64, f64)> = Vec::new();
    for TimeSlice { start_ns, end_ns, bytes } in stretches {
        let end_ns = end_ns.max(start_ns.saturating_add(1));
        let rate = bytes as f64 / (end_ns - start_ns) as f64;
        changes.extend([(start_ns, rate), (end_ns, -rate)]);
    }
    changes.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (mut cuts, mut now_ns, mut rate, mut filled) = (Vec::new(), 0, 0.0_f64, 0.0);
    for (at_ns, change) in changes {
        while now_ns < at_ns {
            let room_ns = ((enough as f64 - filled).max(0.0) / rate.max(f64::MIN_POSITIVE)).max(1.0);
            if room_ns >= (at_ns - now_ns) as f64 {
                filled += rate * (at_ns - now_ns) as f64;
                now_ns = at_ns;
            } else {
                now_ns += room_ns as u64;
                filled = 0.0;
                cuts.push(now_ns);
            }
        }
        rate = (rate + change).max(0.0);
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_between_cuts() {
        let stretch = |start_ns, end_ns, bytes| TimeSlice { start_ns, end_ns, bytes };
        // 1 byte a ns, from 1000 on 3 bytes a ns, nothing from 2000 to 9000.
        let all = [stretch(0, 2000, 2000), stretch(1000, 2000, 2000), stretch(9000, 9500, 1000)];
        assert_eq!(cuts(all.into_iter(), 750), [750, 1166, 1416, 1666, 1916, 9249]);
        assert!(cuts(std::iter::empty(), 10).is_empty());
        // All at one moment, and ends before beginnings.
        assert!(cuts([stretch(5, 5, 1_000_000), stretch(9, 3, 10)].into_iter(), 10).len() < 3);
        let last = stretch(u64::MAX - 1, u64::MAX, u64::MAX);
        assert!(cuts([last, stretch(0, u64::MAX, 9)].into_iter(), 1).len() < 16);
    }
}
