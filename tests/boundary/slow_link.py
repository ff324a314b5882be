"""A network between hosts of namespaces with a known latency and bandwidth, for kernels without netem.

`python slow_link.py LATENCY_S BYTES_PER_S PID PID...` makes an interface `eth0` in the network namespace of each process, and carries
frames between them: a frame leaves when the one before it is on the wire, and arrives the latency later. More than two hosts are a ring in
the order of their processes, and the latency is that of each hop. Ends with its parent.
"""

import contextlib
import ctypes
import fcntl
import heapq
import os
import select
import signal
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x2, 0x1000
PR_SET_PDEATHSIG = 1
CLONE_NEWNET = 0x40000000
# Larger than any frame.
MOST_BYTES = 65536
# Sleeping ends late by up to this much: the rest is polled.
LATE_S = 150e-6


def end_of(pid, libc):
    """The file of an interface in the namespace of a process."""
    with open(f"/proc/{pid}/ns/net") as namespace:
        if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter the namespace of {pid}")
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", b"eth0", IFF_TAP | IFF_NO_PI))
    return tap


def hops(count, a, b):
    """Of two places on a ring."""
    return min((a - b) % count, (b - a) % count)


def carry(ends, latency_s, bytes_per_s):
    """Carries frames until it is killed."""
    place = {end: at for at, end in enumerate(ends)}
    # By address, as a switch learns it; a frame for an address that is not known goes to all.
    end_of_address = {}
    free_s = dict.fromkeys(ends, 0.0)
    in_flight = []
    sent = 0
    while True:
        wait_s = max(0.0, in_flight[0][0] - time.monotonic() - LATE_S) if in_flight else None
        for end in select.select(ends, [], [], wait_s)[0]:
            frame = os.read(end, MOST_BYTES)
            free_s[end] = max(free_s[end], time.monotonic()) + len(frame) / bytes_per_s
            to, sender = frame[:6], frame[6:12]
            end_of_address[sender] = end
            known = end_of_address.get(to)
            for other in [known] if known is not None else ends:
                if other != end:
                    sent += 1
                    arrival_s = free_s[end] + latency_s * hops(len(ends), place[end], place[other])
                    heapq.heappush(in_flight, (arrival_s, sent, other, frame))
        while in_flight and in_flight[0][0] <= time.monotonic():
            _, _, end, frame = heapq.heappop(in_flight)
            # An interface that is not up yet takes no frames.
            with contextlib.suppress(OSError):
                os.write(end, frame)


def main():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # A network does not wait for a processor.
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    latency_s, bytes_per_s, *pids = sys.argv[1:]
    ends = [end_of(pid, libc) for pid in pids]
    print("ready", flush=True)
    carry(ends, float(latency_s), float(bytes_per_s))


if __name__ == "__main__":
    main()
