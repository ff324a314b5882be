/** What two runs are to each other. */
export const SIDE_NAMES = ["before", "after"] as const;
