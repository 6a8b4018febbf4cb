/**
 * The allowed cost of a server in every measurement; ratios are to a raw server in the same run.
 */
export const allowed = {
  /** CPU of one run to many readers; the raw server only writes. */
  fanOutRatio: 1.3,
  /** CPU of one event from the agent through the store to the socket, in microseconds. */
  eventUs: { memory: 60, sqlite: 60, redis: 90, postgres: 90 },
  /** Memory for a reader of a silent run. */
  idleBytes: 20_000,
  /** The bytes queued for a reader that never reads. */
  heldBytes: 65_536,
  /** Additional memory while a long log is read. */
  replayBytes: 50_000_000,
  /** The slowest response to a health check, under any load. */
  healthMs: 1_000,
  /** The share of an append that checks whether the store is still the same. */
  identityShare: 0.05,
} as const
