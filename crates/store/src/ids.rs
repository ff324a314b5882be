//! Ids as distinct types.

macro_rules! id {
    ($(#[$text:meta])* $name:ident) => {
        $(#[$text])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl Default for $name {
            fn default() -> $name {
                $name::NONE
            }
        }

        impl $name {
            /// Stands for nothing.
            pub const NONE: $name = $name(u32::MAX);

            /// As an index, unless it stands for nothing.
            pub fn index(self) -> Option<usize> {
                (self != $name::NONE).then_some(self.0 as usize)
            }
            /// Whether it stands for something.
            pub fn is_some(self) -> bool {
                self != $name::NONE
            }
        }
    };
}

id! {
    /// A process of the run: index into [`crate::Dimensions::ranks`]. Equals the rank in `MPI_COMM_WORLD`
    /// where the run has one world and all of its ranks were recorded.
    RankId
}
id! {
    /// A communicator of the run: index into [`crate::Dimensions::comms`].
    CommId
}
id! {
    /// A group that calls name: index into [`crate::Dimensions::groups`].
    GroupId
}
id! {
    /// A call site: index into [`crate::Dimensions::sites`]; 0 is unknown.
    SiteId
}
id! {
    /// A region of the program: index into [`crate::Dimensions::regions`].
    RegionId
}
