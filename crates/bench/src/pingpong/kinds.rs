//! What is timed: the same operation from both sides.

use std::time::Instant;

use crate::error::BenchError;
use crate::pingpong::link::Link;

/// A series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `MPI_Send` and `MPI_Recv`, there and back; half of it.
    PingPong,
    /// The same with `MPI_Irecv`, `MPI_Isend` and `MPI_Waitall`.
    PingPongNonBlocking,
    /// Both send at once: `MPI_Sendrecv`.
    Exchange,
    /// The same with `MPI_Irecv`, `MPI_Isend` and `MPI_Waitall`.
    ExchangeNonBlocking,
    /// A window of messages in one direction, receives posted before: time for each message.
    Stream,
    /// Of the same, only the time in `MPI_Isend`: the send overhead.
    SendOverhead,
    /// Posting a receive, and completing it after its message has arrived: the receive overhead.
    Expected,
    /// Receiving a message that has arrived before its receive is posted.
    Unexpected,
}

pub const KINDS: [Kind; 8] = [
    Kind::PingPong,
    Kind::PingPongNonBlocking,
    Kind::Exchange,
    Kind::ExchangeNonBlocking,
    Kind::Stream,
    Kind::SendOverhead,
    Kind::Expected,
    Kind::Unexpected,
];

pub const PING_PONG: &str = "ping-pong";
pub const EXCHANGE: &str = "exchange";
pub const STREAM: &str = "stream";
pub const SEND_OVERHEAD: &str = "send-overhead";
pub const EXPECTED: &str = "expected-receive";
pub const UNEXPECTED: &str = "unexpected-receive";

impl Kind {
    /// Stable name.
    pub fn series(self) -> &'static str {
        match self {
            Kind::PingPong => PING_PONG,
            Kind::PingPongNonBlocking => "ping-pong-nonblocking",
            Kind::Exchange => EXCHANGE,
            Kind::ExchangeNonBlocking => "exchange-nonblocking",
            Kind::Stream => STREAM,
            Kind::SendOverhead => SEND_OVERHEAD,
            Kind::Expected => EXPECTED,
            Kind::Unexpected => UNEXPECTED,
        }
    }

    /// 0, powers of two up to `most`, and for the ping-pong sizes between them, with which the fit is checked.
    pub fn sizes(self, most: usize) -> Vec<usize> {
        let powers = (0..usize::BITS - 1).map(|power| 1 << power).take_while(|&bytes| bytes <= most);
        let mut sizes: Vec<usize> = std::iter::once(0).chain(powers).collect();
        if self == Kind::PingPong {
            let between: Vec<usize> =
                sizes.iter().filter(|&&bytes| bytes >= 4).map(|bytes| bytes / 2 * 3).filter(|&b| b <= most).collect();
            sizes.extend(between);
        }
        sizes
    }

    /// Whether the two sides move a window of messages at once.
    fn is_windowed(self) -> bool {
        matches!(self, Kind::Stream | Kind::SendOverhead | Kind::Expected | Kind::Unexpected)
    }

    /// Messages that arrive at the leader and at the partner in one operation with a window of `window`.
    pub fn arriving(self, window: usize) -> (usize, usize) {
        match self {
            Kind::Stream | Kind::SendOverhead => (0, window),
            Kind::Expected | Kind::Unexpected => (window, 0),
            _ => (1, 1),
        }
    }

    /// The operations that are really done if `operations` are requested: whole windows.
    pub fn rounded(self, operations: u64, window: usize) -> u64 {
        match self.is_windowed() {
            true => operations.div_ceil(window as u64) * window as u64,
            false => operations,
        }
    }
}

/// Whether a size is not used to fit lines, but to check them: those in the middle between two powers of two.
pub fn is_held_out(bytes: u64) -> bool {
    bytes.is_multiple_of(3) && (bytes / 3).is_power_of_two()
}

/// Bytes that one operation moves, as a multiple of its size.
pub fn moved(series: &str) -> f64 {
    if series.starts_with(EXCHANGE) { 2.0 } else { 1.0 }
}

/// The head of a series' column.
pub fn head(series: &str) -> &'static str {
    match series {
        PING_PONG => PING_PONG,
        EXCHANGE => EXCHANGE,
        STREAM => STREAM,
        _ => "non-block.",
    }
}

/// The leader's side; returns the time of all operations, ns.
pub fn lead(link: &mut Link, kind: Kind, bytes: usize, operations: u64) -> Result<f64, BenchError> {
    let window = link.window(bytes);
    let begun = Instant::now();
    let ns = |since: Instant| since.elapsed().as_nanos() as f64;
    match kind {
        Kind::PingPong => {
            for _ in 0..operations {
                link.send(bytes)?;
                link.recv(bytes)?;
            }
            Ok(ns(begun) / 2.0)
        }
        Kind::PingPongNonBlocking => {
            for _ in 0..operations {
                link.irecv(bytes, 0)?;
                link.isend(bytes)?;
                link.waitall()?;
            }
            Ok(ns(begun) / 2.0)
        }
        Kind::Exchange | Kind::ExchangeNonBlocking => {
            exchange(link, kind, bytes, operations)?;
            Ok(ns(begun))
        }
        Kind::Stream | Kind::SendOverhead => {
            let mut sending = 0.0;
            for _ in 0..operations / window as u64 {
                link.await_signal()?;
                let start = Instant::now();
                for _ in 0..window {
                    link.isend(bytes)?;
                }
                sending += ns(start);
                link.waitall()?;
            }
            link.await_signal()?;
            Ok(if kind == Kind::Stream { ns(begun) } else { sending })
        }
        Kind::Expected => {
            let mut receiving = 0.0;
            for _ in 0..operations / window as u64 {
                let start = Instant::now();
                for slot in 0..window {
                    link.irecv(bytes, slot)?;
                }
                receiving += ns(start);
                link.signal()?;
                // All messages have arrived when this one has: they do not overtake each other.
                link.await_signal()?;
                let start = Instant::now();
                link.waitall()?;
                receiving += ns(start);
            }
            Ok(receiving)
        }
        Kind::Unexpected => {
            let mut receiving = 0.0;
            for _ in 0..operations / window as u64 {
                link.signal()?;
                link.await_signal()?;
                let start = Instant::now();
                for slot in 0..window {
                    link.recv_into(bytes, slot)?;
                }
                receiving += ns(start);
            }
            Ok(receiving)
        }
    }
}

/// The partner's side.
pub fn follow(link: &mut Link, kind: Kind, bytes: usize, operations: u64) -> Result<(), BenchError> {
    let window = link.window(bytes);
    match kind {
        Kind::PingPong => {
            for _ in 0..operations {
                link.recv(bytes)?;
                link.send(bytes)?;
            }
        }
        Kind::PingPongNonBlocking => {
            for _ in 0..operations {
                link.irecv(bytes, 0)?;
                link.waitall()?;
                link.isend(bytes)?;
                link.waitall()?;
            }
        }
        Kind::Exchange | Kind::ExchangeNonBlocking => exchange(link, kind, bytes, operations)?,
        Kind::Stream | Kind::SendOverhead => {
            for _ in 0..operations / window as u64 {
                for slot in 0..window {
                    link.irecv(bytes, slot)?;
                }
                // Only now the leader sends: all its messages are expected.
                link.signal()?;
                link.waitall()?;
            }
            link.signal()?;
        }
        Kind::Expected | Kind::Unexpected => {
            for _ in 0..operations / window as u64 {
                link.await_signal()?;
                for _ in 0..window {
                    link.isend(bytes)?;
                }
                link.isignal()?;
                link.waitall()?;
            }
        }
    }
    Ok(())
}

fn exchange(link: &mut Link, kind: Kind, bytes: usize, operations: u64) -> Result<(), BenchError> {
    for _ in 0..operations {
        if kind == Kind::Exchange {
            link.sendrecv(bytes)?;
        } else {
            link.irecv(bytes, 0)?;
            link.isend(bytes)?;
            link.waitall()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_and_what_lies_between() {
        assert_eq!(Kind::Stream.sizes(9), [0, 1, 2, 4, 8]);
        assert_eq!(Kind::PingPong.sizes(16), [0, 1, 2, 4, 8, 16, 6, 12]);
        assert_eq!(Kind::PingPong.sizes(8 << 20).iter().max(), Some(&(8 << 20)));
        assert_eq!(Kind::Exchange.sizes(0), [0]);
        assert_eq!(
            [0, 1, 3, 6, 8, 9, 12, 3 << 20].map(is_held_out),
            [false, false, true, true, false, false, true, true]
        );
    }

    #[test]
    fn operations_are_whole_windows() {
        assert_eq!(Kind::Stream.rounded(65, 64), 128);
        assert_eq!(Kind::PingPong.rounded(65, 64), 65);
        assert_eq!((moved("exchange-nonblocking"), moved(STREAM)), (2.0, 1.0));
    }
}
