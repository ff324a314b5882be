//! The methods of an exchange.

/// How the messages are exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    SendIrecv,
    IsendIrecv,
    Sendrecv,
    /// Blocking, step by step: every other rank along the step's first dimension sends first.
    Phased,
    Persistent,
    NeighborAlltoallv,
    /// `MPI_Neighbor_alltoallv_init`, of MPI 4.
    PersistentNeighbor,
    /// Persistent messages in parts, of MPI 4.
    Partitioned,
    OneSided(Transfer, Sync),
    /// Loads from the memory of the neighbours in a shared window.
    SharedLoad,
}

/// Who moves the data of a one-sided exchange: their owner puts them, or the neighbour gets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transfer {
    Put,
    Get,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sync {
    /// Two fences.
    Fence,
    /// Post, start, complete, wait.
    Pscw,
    /// A lock for each transfer.
    Lock,
    /// `MPI_Win_flush_all` under `MPI_Win_lock_all`.
    Flush,
}

/// Methods of the standard set.
pub const METHODS: [Method; 6] = [
    Method::SendIrecv,
    Method::IsendIrecv,
    Method::Sendrecv,
    Method::Phased,
    Method::Persistent,
    Method::NeighborAlltoallv,
];

/// Those that are measured only if the experiment is named.
pub const MORE_METHODS: [Method; 11] = [
    Method::PersistentNeighbor,
    Method::Partitioned,
    Method::OneSided(Transfer::Put, Sync::Fence),
    Method::OneSided(Transfer::Put, Sync::Pscw),
    Method::OneSided(Transfer::Put, Sync::Lock),
    Method::OneSided(Transfer::Put, Sync::Flush),
    Method::OneSided(Transfer::Get, Sync::Fence),
    Method::OneSided(Transfer::Get, Sync::Pscw),
    Method::OneSided(Transfer::Get, Sync::Lock),
    Method::OneSided(Transfer::Get, Sync::Flush),
    Method::SharedLoad,
];

impl Method {
    /// Stable name.
    pub fn name(self) -> &'static str {
        match self {
            Method::SendIrecv => "send-irecv",
            Method::IsendIrecv => "isend-irecv",
            Method::Sendrecv => "sendrecv",
            Method::Phased => "phased",
            Method::Persistent => "persistent",
            Method::NeighborAlltoallv => "neighbor-alltoallv",
            Method::PersistentNeighbor => "neighbor-persistent",
            Method::Partitioned => "partitioned",
            Method::OneSided(Transfer::Put, Sync::Fence) => "put-fence",
            Method::OneSided(Transfer::Put, Sync::Pscw) => "put-pscw",
            Method::OneSided(Transfer::Put, Sync::Lock) => "put-lock",
            Method::OneSided(Transfer::Put, Sync::Flush) => "put-flush",
            Method::OneSided(Transfer::Get, Sync::Fence) => "get-fence",
            Method::OneSided(Transfer::Get, Sync::Pscw) => "get-pscw",
            Method::OneSided(Transfer::Get, Sync::Lock) => "get-lock",
            Method::OneSided(Transfer::Get, Sync::Flush) => "get-flush",
            Method::SharedLoad => "shared-load",
        }
    }

    /// Whether the communicator has to be a graph of the neighbours.
    pub fn needs_graph(self) -> bool {
        matches!(self, Method::NeighborAlltoallv | Method::PersistentNeighbor)
    }

    /// Whether it uses a window, whose memory is limited.
    pub fn needs_window(self) -> bool {
        matches!(self, Method::OneSided(..) | Method::SharedLoad)
    }

    /// Functions that an MPI may lack; those of [`Method::Partitioned`] are known to [`crate::partitioned`].
    pub fn functions(self) -> &'static [&'static str] {
        match self {
            Method::PersistentNeighbor => &["MPI_Neighbor_alltoallv_init"],
            Method::OneSided(..) => &["MPI_Win_allocate", "MPI_Put", "MPI_Get", "MPI_Win_flush_all"],
            Method::SharedLoad => &["MPI_Win_allocate_shared", "MPI_Win_shared_query"],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_has_one_name() {
        let all = METHODS.into_iter().chain(MORE_METHODS);
        let names: std::collections::BTreeSet<&str> = all.map(Method::name).collect();
        assert_eq!(names.len(), METHODS.len() + MORE_METHODS.len());
    }
}
