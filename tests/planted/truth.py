"""Who waited for whom, from the stamps that a planted program has written of itself.

Definitions are those of the wait-state literature; README.md has them in words. All ranks of a suite run
on one machine, so their CLOCK_MONOTONIC is one clock. Nothing here knows of mpiscope.
"""

import bisect
import json
from collections import defaultdict
from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """A stamped call."""

    rank: int
    function: str
    site: str
    enter: int
    leave: int


@dataclass(frozen=True)
class Wait:
    """Time in one call that went by before the cause came."""

    id: str
    rank: int
    cause: int
    event: Event
    wait_ns: int


class Truth:
    """Everything that a run's stamps say."""

    def __init__(self, directory):
        files = sorted(directory.glob("rank.*.json"))
        ranks = [json.loads(file.read_text()) for file in files]
        if not ranks or len(ranks) != ranks[0]["size"]:
            raise ValueError(f"{directory}: stamps of {len(ranks)} ranks; did every rank reach planted_end()?")
        self.size = len(ranks)
        # Of all ranks together: with MPI_Init, and after it.
        self.run_ns = sum(r["end_ns"] - r["start_ns"] for r in ranks)
        self.inner_ns = sum(r["end_ns"] - r["ready_ns"] for r in ranks)
        # From the first rank's return from MPI_Init to the last one's end.
        self.elapsed_ns = max(r["end_ns"] for r in ranks) - min(r["ready_ns"] for r in ranks)
        self.delayed_ns = {r["rank"]: r["delayed_ns"] for r in ranks}
        # The longest pause that the machine has made in anybody's work.
        self.overslept_ns = max(r.get("overslept_ns", 0) for r in ranks)
        # By how much setting up and the step before the iterations were longer than one of these: page faults, first
        # messages. Of the mean rank.
        excess_ns = [max(0, r.get("first_ns", 0) - r.get("turn_ns", 0)) for r in ranks]
        self.first_ns = sum(excess_ns) / self.size
        self.calls = {}
        # (role, channel, rank, peer) → events, in their order
        self.by_role = defaultdict(list)
        # rank → [(event, [(role, channel, peer)])]
        self.steps = {}
        for r in ranks:
            steps = []
            for function, site, enter, leave, parts in r["events"]:
                event = Event(r["rank"], function, site, enter, leave)
                steps.append((event, parts))
                for role, channel, peer in parts:
                    self.by_role[role, channel, r["rank"], peer].append(event)
            self.steps[r["rank"]] = steps
        self.waits = [w for find in RULES for w in find(self) if w.wait_ns > 0]

    @property
    def otherwise_ns(self):
        """Time in stamped calls that is no wait: copies, protocols, the library itself."""
        longest = defaultdict(int)
        for wait in self.waits:
            longest[wait.event] = max(longest[wait.event], wait.wait_ns)
        calls = (event for steps in self.steps.values() for event, _ in steps)
        return sum(max(0, event.leave - event.enter - longest[event]) for event in calls)

    def stamped(self, role, channel, rank, peer):
        """A rank's calls with a part of that kind, in order."""
        return self.by_role.get((role, channel, rank, peer), [])

    def total(self, id, rank=None, cause=None):
        return sum(
            w.wait_ns for w in self.waits if w.id == id and rank in (None, w.rank) and cause in (None, w.cause)
        )

    def share(self, id):
        """Of the ranks' time after MPI_Init."""
        return self.total(id) / self.inner_ns

    def ranks(self, id):
        return {rank: ns for rank in range(self.size) if (ns := self.total(id, rank=rank))}

    def causes(self, id):
        return {rank: ns for rank in range(self.size) if (ns := self.total(id, cause=rank))}


def overlap(a, b):
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def until(event, moment):
    """How much of a call lies before a moment."""
    return max(0, min(moment, event.leave) - event.enter)


def messages(truth, rank, parts, role, counts):
    """The messages that a call's parts of a role are about: (tag, peer, which of them)."""
    for name, tag, peer in parts:
        if name == role and peer >= 0:
            nth = counts[name, tag, peer]
            counts[name, tag, peer] += 1
            yield tag, peer, nth


def nth_or_none(events, nth):
    return events[nth] if nth < len(events) else None


# Of a wait: a receiver that does so much with a message, before it asks for another, could have taken the other one first.
USE = 0.05


def late_sender(truth):
    """Late sender, and of it what is wrong order."""
    for rank, steps in truth.steps.items():
        counts, waits = defaultdict(int), []
        inbox = []  # (sent at, posted at, waited for at, from)
        for (role, tag, at, peer), posts in truth.by_role.items():
            if role == "post" and at == rank:
                sent = truth.stamped("send", tag, peer, rank)
                # Where a poll completes it, nothing is stamped.
                arrivals = truth.stamped("arrival", tag, at, peer) or posts
                inbox += [(s.enter, p.enter, a.enter, peer) for s, p, a in zip(sent, posts, arrivals)]
        for event, parts in steps:
            last = None
            for tag, peer, nth in messages(truth, rank, parts, "arrival", counts):
                sent = nth_or_none(truth.stamped("send", tag, peer, rank), nth)
                if sent and (not last or sent.enter > last.enter):
                    last = sent
            if last and until(event, last.enter):
                waits.append((event, last))
        own_sends = sorted(e.enter for e, parts in steps if any(role == "send" for role, _, _ in parts))
        for event, last in waits:
            ns = until(event, last.enter)
            yield Wait("late_sender", rank, last.rank, event, ns)
            # Sent before, and its receive not even posted before this call ended. But what the receiver sends in between
            # may need what this call has brought: a master answers before it asks the next. And a receiver that asks for
            # the other one at once needs both.
            next_send = bisect.bisect_left(own_sends, event.leave)
            until_ns = own_sends[next_send] if next_send < len(own_sends) else float("inf")
            passed_over = {
                peer
                for sent, posted, wanted, peer in inbox
                if sent < last.enter and event.leave + USE * ns <= posted and wanted < until_ns
            }
            if last.rank in passed_over:
                yield Wait("wrong_order_same_source", rank, last.rank, event, ns)
            elif passed_over:
                yield Wait("wrong_order_different_source", rank, last.rank, event, ns)


def late_receiver(truth):
    """Late receiver; and, when the receive was posted in time, wait for progress."""
    for rank, steps in truth.steps.items():
        counts = defaultdict(int)
        for event, parts in steps:
            # A small message goes without its receiver, as a rule. A call that does nothing else and lasts until the
            # receive has waited for it all the same: Open MPI keeps senders until the receiver looks.
            only_sends = all(role == "send" for role, _, _ in parts)
            for tag, peer, nth in messages(truth, rank, parts, "send", counts):
                post = nth_or_none(truth.stamped("post", tag, peer, rank), nth)
                if only_sends and post and event.leave >= post.enter:
                    yield Wait("late_receiver", rank, peer, event, until(event, post.enter))
            for tag, peer, nth in messages(truth, rank, parts, "delivery", counts):
                post = nth_or_none(truth.stamped("post", tag, peer, rank), nth)
                arrival = nth_or_none(truth.stamped("arrival", tag, peer, rank), nth)
                if not post:
                    continue
                yield Wait("late_receiver", rank, peer, event, until(event, post.enter))
                if not arrival or arrival is post:
                    continue
                inside = [e for e, _ in truth.steps[peer] if post.enter <= e.enter <= arrival.enter]
                away = [(a.leave, b.enter) for a, b in zip(inside, inside[1:])]
                ns = sum(overlap((event.enter, event.leave), gap) for gap in away)
                yield Wait("wait_for_progress", rank, peer, event, ns)


KINDS = {
    "all": "wait_at_nxn",
    "near": "wait_at_nxn",
    "barrier": "wait_at_barrier",
    "fence": "wait_at_fence",
    "root": "late_broadcast",
    "leaves": "early_reduce",
    "lower": "early_scan",
}
# What is left when the first has gone.
COMPLETION = {"all": "nxn_completion", "barrier": "barrier_completion"}


def collectives(truth):
    """Waits for those who enter a collective later, and what the rest of it takes when one has left."""
    entries = defaultdict(dict)  # (communicator, which collective on it) → rank → event
    for (role, comm, rank, _), events in truth.by_role.items():
        if role == "entry":
            for nth, event in enumerate(events):
                entries[comm, nth][rank] = event
    for rank, steps in truth.steps.items():
        begun = defaultdict(int)
        for event, parts in steps:
            kind = comm = None
            needed = set()
            for role, channel, peer in parts:
                if role == "entry":
                    begun[channel] += 1
                elif role in KINDS:
                    kind, comm = role, channel
                    needed.add(peer)
            if not kind:
                continue
            others = {r: e for r, e in entries[comm, begun[comm] - 1].items() if r != rank}
            if kind in ("root", "near"):
                others = {r: e for r, e in others.items() if r in needed}
            elif kind == "lower":
                others = {r: e for r, e in others.items() if r < rank}
            if others:
                last = max(others.values(), key=lambda e: e.enter)
                yield Wait(KINDS[kind], rank, last.rank, event, until(event, last.enter))
            # Making an object waits for the last as well, but is not the operation whose completion is meant.
            makes = event.function.startswith(("MPI_Cart_", "MPI_Comm_"))
            if others and kind in COMPLETION and not makes and event is entries[comm, begun[comm] - 1].get(rank):
                first = min(others.values(), key=lambda e: e.leave)
                ns = event.leave - max(first.leave, event.enter)
                yield Wait(COMPLETION[kind], rank, first.rank, event, ns)


def post_start_complete_wait(truth):
    """Late post; early wait, and of it late complete."""
    for rank, steps in truth.steps.items():
        epochs, closed = defaultdict(int), defaultdict(int)
        for event, parts in steps:
            posts = []
            for role, _, peer in parts:
                if role == "access":
                    post = nth_or_none(truth.stamped("expose", 0, peer, rank), epochs[peer])
                    if post and post.enter <= event.leave:
                        posts.append(post)
                elif role == "finish":
                    epochs[peer] += 1
            if posts:
                # Of several targets the last one that came while the call lasted.
                last = max(posts, key=lambda e: e.enter)
                yield Wait("late_post", rank, last.rank, event, until(event, last.enter))
            finishes = []
            for role, _, peer in parts:
                if role == "close":
                    finish = nth_or_none(truth.stamped("finish", 0, peer, rank), closed[peer])
                    closed[peer] += 1
                    if finish:
                        finishes.append(finish)
            if finishes:
                last = max(finishes, key=lambda e: e.enter)
                yield Wait("early_wait", rank, last.rank, event, until(event, last.enter))
                before = [e for e in truth.stamped("access", 0, last.rank, rank) if e.leave <= last.enter]
                idle = (before[-1].leave if before else last.enter, last.enter)
                yield Wait("late_complete", rank, last.rank, event, overlap((event.enter, event.leave), idle))


def held_locks(truth):
    """By target: from when to when which rank had its lock."""
    holds = defaultdict(list)
    for rank, steps in truth.steps.items():
        acquired = {}
        for event, parts in steps:
            for role, _, target in parts:
                if role == "acquire":
                    acquired[target] = event.leave
                elif role == "release" and target in acquired:
                    holds[target].append((acquired.pop(target), event.enter, rank))
    return holds


def locks(truth):
    """Time between asking for a lock and having it, while another rank holds it."""
    holds = held_locks(truth)
    for rank, steps in truth.steps.items():
        for event, parts in steps:
            for role, _, target in parts:
                if role == "acquire":
                    for begin, end, holder in holds[target]:
                        if holder != rank:
                            ns = overlap((event.enter, event.leave), (begin, end))
                            yield Wait("lock_contention", rank, holder, event, ns)


def targets(truth):
    """Time in an access, or in the request for a free lock, while the target is outside of MPI."""
    holds = held_locks(truth)
    for rank, steps in truth.steps.items():
        for event, parts in steps:
            for role, _, target in parts:
                if role != "acquire" or target == rank:
                    continue
                others = [end for begin, end, holder in holds[target] if holder != rank and begin < event.leave]
                free = max([event.enter, *(end for end in others if end <= event.leave)])
                events = [e for e, _ in truth.steps[target]]
                away = [(a.leave, b.enter) for a, b in zip(events, events[1:])]
                # The access ends when the target comes: a stretch that goes on is not one that it waited for.
                ns = sum(overlap((free, event.leave), gap) for gap in away if gap[1] <= event.leave)
                yield Wait("rma_wait_for_progress", rank, target, event, ns)


RULES = (late_sender, late_receiver, collectives, post_start_complete_wait, locks, targets)
