//! Shared file pointers: all processes need the same view of the file (MPI-5.0 §14.4.4).
//!
//! Views are set by all processes of a file in one order, so the n-th of one is compared with the n-th of another one: in the end, as
//! events of one process may be read long before those of another.

use rustc_hash::FxHashMap;

use crate::report::{CallRef, Draft, Sink};

/// Views of one file that are remembered.
const MOST_VIEWS: usize = 256;

/// A view, as far as it can be compared.
struct View {
    /// None when its layout is unknown.
    layout: Option<u64>,
    place: CallRef,
}

/// Which views files had when their shared pointers were used.
#[derive(Default)]
pub(crate) struct SharedViews {
    /// By file and process, in their order; the first is that of opening.
    views: FxHashMap<u32, FxHashMap<u32, Vec<View>>>,
    /// First uses, by file and number of the view.
    used: FxHashMap<(u32, usize), CallRef>,
}

impl SharedViews {
    pub fn viewed(&mut self, file: u32, process: u32, layout: Option<u64>, place: CallRef) {
        let all = self.views.entry(file).or_default().entry(process).or_default();
        if all.len() < MOST_VIEWS {
            all.push(View { layout, place });
        }
    }

    pub fn used(&mut self, file: u32, process: u32, place: CallRef) {
        let views = self.views.get(&file).and_then(|of| of.get(&process)).map_or(0, Vec::len);
        if (1..MOST_VIEWS).contains(&views) {
            self.used.entry((file, views - 1)).or_insert(place);
        }
    }

    /// Everything has ended.
    pub fn report(&mut self, sink: &mut Sink) {
        let mut used: Vec<_> = std::mem::take(&mut self.used).into_iter().collect();
        used.sort_unstable_by_key(|(key, _)| *key);
        for ((file, number), place) in used {
            let Some(of) = self.views.get(&file) else { continue };
            let mut processes: Vec<(&u32, &View)> = of.iter().filter_map(|(p, v)| Some((p, v.get(number)?))).collect();
            processes.sort_unstable_by_key(|(process, _)| **process);
            let mut known = processes.iter().filter(|(_, view)| view.layout.is_some());
            let Some((first, one)) = known.next() else { continue };
            let Some((second, other)) = known.find(|(_, view)| view.layout != one.layout) else { continue };
            let text = format!(
                "Ranks {first} and {second} have different views of the file whose shared file pointer is used."
            );
            let mut draft = Draft::new("file.shared-view").text(text);
            draft.add(place, None, "uses the shared file pointer");
            draft.add(one.place, None, "has this view");
            draft.add(other.place, None, "has a different view");
            sink.add(draft);
        }
    }
}
