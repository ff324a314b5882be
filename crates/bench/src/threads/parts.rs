//! A partitioned message in each direction: each thread marks its part as ready.

use std::sync::{Mutex, PoisonError};

use mpiscope_mpi::{Comm, Mpi, Part, Partitioned, Rank, Tag};

use super::worker::Joint;
use crate::error::BenchError;
use crate::swap::Buffers;

const TAG: Tag = 7651;

/// Both messages between two ranks.
pub struct Parts<'a> {
    messages: Mutex<(Partitioned<'a>, Buffers)>,
    /// The part of each thread.
    parts: Vec<Part>,
    /// Of both messages each.
    bytes: usize,
}

impl<'a> Parts<'a> {
    /// For `threads` threads with `bytes` bytes each. `place`: what both ends mean.
    pub fn new(
        mpi: &'a Mpi,
        comm: Comm,
        (own, peer): (Rank, Rank),
        (threads, bytes): (usize, usize),
        place: usize,
    ) -> Result<Parts<'a>, BenchError> {
        let mut buffers = Buffers::new(own, peer, threads * bytes)?;
        let (mut messages, tag) = (mpi.partitioned(2)?, TAG + place as Tag);
        let (into, out) = (buffers.into.as_mut_ptr(), buffers.out.as_ptr());
        // SAFETY: the buffers stay in their places until the requests are freed, and are only accessed between exchanges.
        unsafe {
            messages.receive(comm, (into, threads as i32, bytes), peer, tag)?;
            messages.send(comm, (out, threads as i32, bytes), peer, tag)?;
        }
        let parts = messages.parts().collect();
        Ok(Parts { messages: Mutex::new((messages, buffers)), parts, bytes: threads * bytes })
    }

    /// This thread's part of so many exchanges; the first thread starts and completes the messages.
    pub fn exchange(&self, thread: usize, joint: &Joint, operations: u64) -> Result<(), BenchError> {
        // Only the first thread of a job locks it.
        let mut messages = (thread == 0).then(|| self.messages.lock().unwrap_or_else(PoisonError::into_inner));
        for _ in 0..operations {
            if let Some(messages) = &mut messages {
                messages.0.start()?;
            }
            joint.wait()?;
            // SAFETY: the first thread has started the message; each thread has a part of its own.
            unsafe { self.parts[thread].ready() }?;
            joint.wait()?;
            if let Some(messages) = &mut messages {
                messages.0.wait()?;
            }
        }
        Ok(())
    }

    pub fn prepare(&self, place: u32) {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).1.prepare(place, self.bytes);
    }

    pub fn check(&self, place: u32, series: &str) -> Result<(), BenchError> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).1.check(place, self.bytes, series)
    }

    pub fn free(self) -> Result<(), BenchError> {
        let (messages, buffers) = self.messages.into_inner().unwrap_or_else(PoisonError::into_inner);
        messages.free()?;
        // The messages have used them until now.
        drop(buffers);
        Ok(())
    }
}
