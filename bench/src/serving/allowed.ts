/**
 * The allowed cost of a server in every measurement; ratios are to a raw server in the same run.
 */
export const allowed = {
  /** CPU of one run to many readers, where a raw server does nothing but write. */
  fanOutRatio: 1.3,
  /** CPU of one event on its way from the agent through the store to the socket, in microseconds. */
  eventUs: { memory: 60, sqlite: 60, redis: 90, postgres: 90 },
  /** Memory for a reader of a run that says nothing. */
  idleBytes: 20_000,
  /** The bytes queued for a reader that never reads. */
  heldBytes: 65_536,
  /** How much more memory the reading of a long log takes. */
  replayBytes: 50_000_000,
  /** The slowest answer to a health check, under any load. */
  healthMs: 1_000,
  /** The part of an append that goes into the check that the store is still the same. */
  identityShare: 0.05,
} as const
