/** The parts of `mpiscope report --json` that the overview shows (schemas/report.schema.json). */

export interface Spread {
  min: { value: number; rank: number };
  mean: number;
  max: { value: number; rank: number };
}

export interface Proof {
  rank: number;
  start_ns: number;
  end_ns: number;
  row: number | null;
}

export interface Finding {
  id: string;
  title: string;
  text: string;
  advice: string;
  cost_ns: number;
  share: number;
  /** Rank time saved without it, by replay; null where no change is known that could be replayed. */
  savable_ns: number | null;
  /** Whether the saving is an upper bound. */
  is_bound: boolean;
  /** What the best change for it gains, by a model of the run, in shares of the run's time; null where the model was not used or has no such change. */
  gain: { change: string; how: string; gain: number; low: number; high: number } | null;
  alternatives: { advice: string; savable_ns: number }[];
  /** Id of the finding that causes this one. */
  caused_by: string | null;
  confidence: string;
  ranks: number[];
  cause_ranks: number[];
  sites: string[];
  regions: string[];
  iterations: [number, number][] | null;
  evidence: Record<string, unknown>;
  proof: Proof[];
}

/** A call that a finding of the check names (schemas/check.schema.json). */
export interface CheckCall {
  rank: number;
  function: string | null;
  role: string;
  file: string | null;
  line: number | null;
  /** Since the origin of the run. */
  at_ns: number | null;
}

export interface CheckFinding {
  id: string;
  severity: "hint" | "warning" | "error";
  confidence: "possible" | "certain";
  section: string;
  title: string;
  text: string;
  advice: string;
  parties: CheckCall[];
  more: number;
  count: number;
  suppressed: boolean;
}

export interface Report {
  /** Set instead of all other fields: why there is no report. */
  error?: { what: string; next: string };
  /** Findings of `mpiscope check`; null when the run was not checked. */
  checks: { processes: number; events_lost: number; notes: string[]; findings: CheckFinding[] } | null;
  overview: {
    run: string;
    program: string[];
    start_unix_ns: number;
    mpi: string;
    hosts: Record<string, number>;
    world_size: number;
    ranks: number;
    missing: [number, number][] | number[];
    all_normal: boolean;
    wall_ns: Spread | null;
    user_ns: Spread | null;
    mpi_ns: Spread | null;
    mpi_share: Spread | null;
    /** From the return of MPI_Init to the entry of MPI_Finalize, of all ranks. */
    rank_time_ns: number;
    max_rss_bytes: Spread | null;
    time_ns: number;
    calls: number;
    calls_failed: number;
  };
  losses: Record<string, number>;
  diagnostics: { id: string; file: string | null; text: string; damage: boolean }[];
  /** Ranks that ended abnormally. */
  ranks: {
    rank: number;
    host: string;
    mpi_share: number | null;
    mpi_ns: number;
    wall_ns: number | null;
    calls: number;
    fate: { kind: string; exit_code?: number; signal_name?: string };
    in_flight: { call: string; site: string | null; comm: string | null; peer: number | null }[];
  }[];
  calls: { call: string; id: number; calls: number; time_ns: number; bytes: number; max_call_ns: number; time_ns_by_rank: Spread }[];
  explanation: {
    scope: { start_ns: number; end_ns: number; rank_time_ns: number; ranks: number; calls: number; calls_lost: number };
    time: { computing_ns: number; waiting_ns: number; communicating_ns: number };
    findings: Finding[];
    caveats: string[];
    /** Ranks that were in calls when the recording ended, or null. */
    stuck: { kind: "deadlock" | "stuck"; text: string; advice: string } | null;
    /** The first line of the verdict if the machine is the cause, or null. */
    machine: { headline: string | null } | null;
    efficiency: {
      parallel: number;
      load_balance: number;
      communication: number;
      serialisation: number | null;
      transfer: number | null;
    } | null;
    critical_path: { length_ns: number; jumps: number } | null;
    iterations: { count: number; period_ns: number; marker_site: string; marker_function: string } | null;
    phases: { name: string; site: string; share: number; median_ns: number }[];
    grid: { dims: number[]; periodic: boolean[]; source: string } | null;
    pattern: string | null;
  } | null;
}
