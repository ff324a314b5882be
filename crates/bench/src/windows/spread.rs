//! Ranks of a host on different processors.
//!
//! On a busy machine the kernel may leave two ranks that are not bound on one processor, next to other processes. They can then begin nothing at
//! the same moment.

use std::collections::BTreeSet;

use mpiscope_machine::RankPlace;
use mpiscope_mpi::Rank;

/// The place of a rank among those of its host. The first place is another one on each host, as hosts that are containers may share processors.
pub fn place_on_host(places: &[RankPlace], rank: Rank) -> usize {
    let Some(own) = places.iter().find(|place| place.rank == rank) else { return 0 };
    let before = places.iter().filter(|place| place.host == own.host && place.rank < rank).count();
    let hosts: BTreeSet<&str> =
        places.iter().map(|place| place.host.as_str()).filter(|host| *host < own.host.as_str()).collect();
    hosts.len() + before
}

/// Moves this thread to the processor with this number among those that it may use. It is not bound to it: the kernel may move it again.
/// Nothing happens where a processor cannot be chosen.
pub fn move_to(place: usize) {
    let bytes = size_of::<libc::cpu_set_t>();
    // SAFETY: sets of zeros are valid, and have the length that is passed to the kernel.
    unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, bytes, &mut allowed) != 0 {
            return;
        }
        let all = 0..libc::CPU_SETSIZE as usize;
        let usable: Vec<usize> = all.filter(|&cpu| libc::CPU_ISSET(cpu, &allowed)).collect();
        let Some(&cpu) = usable.get(place % usable.len().max(1)) else { return };
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut one);
        if libc::sched_setaffinity(0, bytes, &one) == 0 {
            libc::sched_setaffinity(0, bytes, &allowed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_a_host_have_different_places() {
        let places: Vec<RankPlace> = ["a", "b", "a", "a"]
            .iter()
            .enumerate()
            .map(|(rank, host)| RankPlace { rank: rank as i32, host: (*host).to_owned(), cpus: String::new() })
            .collect();
        let found: Vec<usize> = (0..4).map(|rank| place_on_host(&places, rank)).collect();
        assert_eq!(found, [0, 1, 1, 2]);
    }

    #[test]
    fn a_thread_that_was_moved_may_use_all_processors() {
        let usable = std::thread::available_parallelism().unwrap();
        (0..5).for_each(move_to);
        assert_eq!(std::thread::available_parallelism().unwrap(), usable);
    }
}
