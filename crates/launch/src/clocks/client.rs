//! The client on hosts other than the reference: asks for the time.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::time::{Duration, Instant};

use super::Reference;
use super::log::{Round, When};
use super::wire::{self, BYTES, Message};
use crate::clock::monotonic_ns;
use crate::rendezvous::{Token, address};

const CONNECT_LIMIT: Duration = Duration::from_millis(300);
const ANSWER_LIMIT: Duration = Duration::from_millis(100);
/// A round ends after this many exchanges or this time: both are negligible for a round every few seconds.
const EXCHANGES: u32 = 32;
const ROUND_LIMIT: Duration = Duration::from_millis(15);

/// A connection to the reference.
pub(crate) struct Client {
    stream: TcpStream,
    number: u64,
}

impl Client {
    /// Tries every address of the reference until one answers with the run's token.
    pub(crate) fn connect(reference: &Reference) -> io::Result<Self> {
        let token = Token::parse(&reference.token).ok_or(io::ErrorKind::InvalidData)?;
        let mut last = io::Error::other("no address given");
        for ip in address::in_order(&reference.addresses) {
            match greet(SocketAddr::new(ip, reference.port), &token) {
                Ok(stream) => return Ok(Self { stream, number: 0 }),
                Err(error) => last = io::Error::new(error.kind(), format!("{ip} port {}: {error}", reference.port)),
            }
        }
        Err(last)
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        self.stream.as_raw_fd()
    }

    /// Whether the reference has announced its end. An error if it has closed the connection.
    pub(crate) fn is_ending(&mut self) -> io::Result<bool> {
        let mut message = [0; BYTES];
        self.stream.read_exact(&mut message)?;
        Ok(wire::is_end(&message))
    }

    /// Measures one round.
    pub(crate) fn round(&mut self, when: When) -> io::Result<Round> {
        let begin = Instant::now();
        let mut best: Option<Round> = None;
        let mut exchanges = 0;
        while exchanges < EXCHANGES && (exchanges < 2 || begin.elapsed() < ROUND_LIMIT) {
            let Some((at_ns, offset_ns, rtt_ns)) = self.exchange()? else { continue };
            exchanges += 1;
            if best.is_none_or(|best| rtt_ns < best.rtt_ns) {
                best = Some(Round { when, at_ns, offset_ns, rtt_ns, exchanges });
            }
        }
        best.map(|best| Round { exchanges, ..best }).ok_or_else(|| io::Error::other("no answer"))
    }

    /// One request and its answer; `None` if the reference answers that it ends.
    fn exchange(&mut self) -> io::Result<Option<(u64, i64, u64)>> {
        self.number += 1;
        let question = wire::request(self.number);
        let mut answer: Message = [0; BYTES];
        let t1 = monotonic_ns();
        self.stream.write_all(&question)?;
        loop {
            self.stream.read_exact(&mut answer)?;
            let t4 = monotonic_ns();
            if let Some((t2, t3)) = wire::answer_times(&answer, self.number) {
                return Ok(Some(measured([t1, t2, t3, t4])));
            }
            if !wire::is_end(&answer) {
                return Err(io::Error::other("the answer is invalid"));
            }
        }
    }
}

/// Midpoint of the exchange, offset of the reference, round-trip time. Wrapping, as clocks may have any values.
fn measured([t1, t2, t3, t4]: [u64; 4]) -> (u64, i64, u64) {
    let (there, back) = (t2.wrapping_sub(t1) as i64, t3.wrapping_sub(t4) as i64);
    let offset = ((i128::from(there) + i128::from(back)) / 2) as i64;
    let (whole, inside) = (t4.saturating_sub(t1), t3.saturating_sub(t2));
    // Plus one ns for the resolution of each clock.
    (t1 + whole / 2, offset, whole.saturating_sub(inside) + 2)
}

fn greet(address: SocketAddr, token: &Token) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&address, CONNECT_LIMIT)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(ANSWER_LIMIT))?;
    stream.set_write_timeout(Some(ANSWER_LIMIT))?;
    stream.write_all(&wire::hello(token))?;
    let mut answer = [0; BYTES];
    stream.read_exact(&mut answer)?;
    match answer == wire::welcome(token) {
        true => Ok(stream),
        false => Err(io::Error::other("the process that answers is not the reference of this run")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offset_and_way_of_an_exchange() {
        // The reference is 1000 ahead; 10 there, 5 inside, 20 back.
        assert_eq!(measured([100, 1110, 1115, 135]), (117, 995, 32));
        // It is far behind.
        let (_, offset, rtt) = measured([1 << 62, 50, 60, (1 << 62) + 40]);
        assert!((offset - (50 - (1 << 62))).abs() <= 15 && rtt == 32);
    }
}
