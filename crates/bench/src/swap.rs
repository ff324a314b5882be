//! One message in each direction between two ranks: `MPI_Irecv`, `MPI_Isend`, `MPI_Waitall`.

use mpiscope_mpi::{Comm, Mpi, Rank, Requests, Tag};

use crate::buffers::{buffer, pattern};
use crate::error::BenchError;

const DATA: Tag = 7601;

/// What two ranks send each other: the buffers of one of them.
pub struct Buffers {
    own: Rank,
    peer: Rank,
    pub out: Vec<u8>,
    pub into: Vec<u8>,
}

impl Buffers {
    /// For up to `most` bytes.
    pub fn new(own: Rank, peer: Rank, most: usize) -> Result<Buffers, BenchError> {
        Ok(Buffers { own, peer, out: buffer(most)?, into: buffer(most)? })
    }

    /// Fills them: what is sent has a pattern, what is received into has none of its bytes. `place`: what both ends verify.
    pub fn prepare(&mut self, place: u32, bytes: usize) {
        let (own, other) = (seed(place, self.own, self.peer), seed(place, self.peer, self.own));
        for at in 0..bytes {
            (self.out[at], self.into[at]) = (pattern(own, at), !pattern(other, at));
        }
    }

    /// Compares what was received with what the other end has prepared.
    pub fn check(&self, place: u32, bytes: usize, series: &str) -> Result<(), BenchError> {
        let other = seed(place, self.peer, self.own);
        match (0..bytes).position(|at| self.into[at] != pattern(other, at)) {
            None => Ok(()),
            Some(wrong) => Err(BenchError::WrongBytes {
                series: series.to_owned(),
                bytes,
                from: self.peer,
                to: self.own,
                at: wrong as u64,
            }),
        }
    }
}

/// This rank's end.
pub struct Swap<'a> {
    pub mpi: &'a Mpi,
    comm: Comm<'a>,
    pub peer: Rank,
    pub buffers: Buffers,
    pub requests: Requests,
}

impl<'a> Swap<'a> {
    /// On a communicator in which ranks are numbered as in `MPI_COMM_WORLD`, for messages of up to `most` bytes.
    pub fn new(mpi: &'a Mpi, comm: Comm<'a>, own: Rank, peer: Rank, most: usize) -> Result<Swap<'a>, BenchError> {
        Ok(Swap { mpi, comm, peer, buffers: Buffers::new(own, peer, most)?, requests: mpi.requests(2) })
    }

    /// Starts both messages. They have to be completed, here or by who takes the requests.
    pub fn start(&mut self, bytes: usize) -> Result<(), BenchError> {
        let (out, into) = (&self.buffers.out[..bytes], &mut self.buffers.into[..bytes]);
        // SAFETY: the buffers live and are not accessed until the requests are complete, which every caller waits for.
        unsafe {
            self.comm.irecv(into.as_mut_ptr(), bytes, self.peer, DATA, &mut self.requests)?;
            self.comm.isend(out.as_ptr(), bytes, self.peer, DATA, &mut self.requests)?;
        }
        Ok(())
    }

    pub fn wait(&mut self) -> Result<(), BenchError> {
        Ok(self.mpi.waitall(&mut self.requests)?)
    }

    pub fn swap(&mut self, bytes: usize) -> Result<(), BenchError> {
        self.start(bytes)?;
        self.wait()
    }
}

/// Both directions of a place differ.
fn seed(place: u32, from: Rank, to: Rank) -> u32 {
    2 * place + u32::from(from < to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_differ() {
        let text = |seed: u32| (0..64).map(|at| pattern(seed, at)).collect::<Vec<_>>();
        assert_ne!(text(seed(3, 0, 1)), text(seed(3, 1, 0)));
        assert_ne!(text(seed(3, 0, 1)), text(seed(4, 0, 1)));
    }
}
