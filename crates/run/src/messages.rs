//! Messages of requests whose posting call does not determine the peer: of persistent requests, counted when they are started,
//! and of receives from any source, counted when their status shows the source.

use mpiscope_trace::defs::Message;
use mpiscope_trace::reader::ThreadView;
use mpiscope_trace::shape::flag;

use crate::defs::Defs;

/// The messages of one thread: their number and total bytes.
pub fn of_thread<'a>(thread: &'a ThreadView, defs: &'a Defs) -> impl Iterator<Item = (u64, Message)> + 'a {
    thread.shapes.iter().filter(|shape| shape.calls > 0).flat_map(|shape| {
        let counted = (shape.flags & flag::MESSAGES != 0).then_some((
            shape.calls,
            Message {
                to: shape.world_peer,
                from: shape.world_peer2,
                bytes_out: shape.sum_bytes_out,
                bytes_in: shape.sum_bytes_in,
            },
        ));
        let listed = defs.messages.get(&shape.messages).into_iter().flatten().map(|each| {
            let all = |bytes: u64| bytes.saturating_mul(shape.calls);
            (shape.calls, Message { bytes_out: all(each.bytes_out), bytes_in: all(each.bytes_in), ..*each })
        });
        counted.into_iter().chain(listed)
    })
}
