/** The names of the two sides. */
export const SIDE_NAMES = ["before", "after"] as const;
