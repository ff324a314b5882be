//! Addresses of this host, and the order in which to try those of another.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses at which others may reach this host.
pub fn own() -> Vec<String> {
    interfaces().iter().map(IpAddr::to_string).collect()
}

/// Addresses of active interfaces, without loopback and link-local ones; IPv4 first.
fn interfaces() -> Vec<IpAddr> {
    let mut found = Vec::new();
    let mut list: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: the call creates the list, which is freed below; each entry is read before that, according to its family.
    unsafe {
        if libc::getifaddrs(&mut list) != 0 {
            return found;
        }
        let mut entry = list;
        while !entry.is_null() {
            let one = &*entry;
            entry = one.ifa_next;
            let flags = one.ifa_flags as i32;
            if one.ifa_addr.is_null() || flags & libc::IFF_UP == 0 || flags & libc::IFF_LOOPBACK != 0 {
                continue;
            }
            match i32::from((*one.ifa_addr).sa_family) {
                libc::AF_INET => {
                    let address = &*one.ifa_addr.cast::<libc::sockaddr_in>();
                    found.push(IpAddr::V4(Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr))));
                }
                libc::AF_INET6 => {
                    let address = Ipv6Addr::from((*one.ifa_addr.cast::<libc::sockaddr_in6>()).sin6_addr.s6_addr);
                    if !address.is_unicast_link_local() {
                        found.push(IpAddr::V6(address));
                    }
                }
                _ => {}
            }
        }
        libc::freeifaddrs(list);
    }
    found.sort();
    found
}

/// The other host's addresses, with those most similar to an own one first: a network that both are on. Addresses that both
/// have (a container bridge) lead back here and come last.
pub fn in_order(theirs: &[String]) -> Vec<IpAddr> {
    order(theirs, &interfaces())
}

fn order(theirs: &[String], own: &[IpAddr]) -> Vec<IpAddr> {
    let mut addresses: Vec<IpAddr> = theirs.iter().filter_map(|text| text.parse().ok()).collect();
    addresses.sort_by_key(|address| {
        let alike = own.iter().map(|own| shared_bits(address, own)).max().unwrap_or(0);
        (own.contains(address), std::cmp::Reverse(alike))
    });
    addresses
}

fn shared_bits(a: &IpAddr, b: &IpAddr) -> u32 {
    match (a, b) {
        (IpAddr::V4(a), IpAddr::V4(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros(),
        (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits() ^ b.to_bits()).leading_zeros(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_network_is_tried_first() {
        let own = ["172.17.0.1", "10.1.2.3"].map(|text| text.parse().unwrap());
        let theirs = ["172.17.0.1", "192.168.7.7", "10.1.9.9", "bad", "fd00::1"].map(str::to_owned);
        let ordered: Vec<String> = order(&theirs, &own).iter().map(IpAddr::to_string).collect();
        assert_eq!((ordered[0].as_str(), ordered[3].as_str(), ordered.len()), ("10.1.9.9", "172.17.0.1", 4));
    }
}
