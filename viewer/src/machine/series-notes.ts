/** What the names of an experiment's series mean, where they do not say it. */
export const NOTES: Record<string, string> = {
  start: " init: MPI_Init in jobs with so many ranks; the others: on the first ranks of one job.",
  threads: " level: one thread, with MPI_THREAD_SINGLE or MPI_THREAD_MULTIPLE; ranks: pairs of ranks instead of threads; joined: between barriers of the threads.",
  collectives: " library: the MPI's own function; ranks-4: the same on the first 4 ranks; the others: the same result by other functions.",
};
