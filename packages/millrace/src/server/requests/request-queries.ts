import { z } from 'zod'

/** The query of `GET /agent/sessions`. */
export const sessionsQuery = z.object({
  limit: count(0, 100).default(50),
  offset: count(0, 1_000_000).default(0),
})

/** The query of `GET /agent/{uuid}/conversations`. */
export const conversationsQuery = z.object({
  limit: count(1, 100).default(20),
  before: count(1, 1_000_000_000).optional(),
})

/** The query of `GET /agent/{uuid}/decisions`. */
export const decisionsQuery = z.object({
  limit: count(1, 100).default(20),
  after: count(0, 1_000_000_000).default(0),
})

/** The query of `GET /agent/{uuid}/stream`. */
export const streamQuery = z.object({
  cursor: z.string().optional(),
  /** The expected log; another one is rejected. [LOG-12] */
  log: z.string().optional(),
  /** `log` adds the log to every id, for clients that only send the id when they resume. */
  ids: z.enum(['log', 'plain']).optional(),
  format: z.string().optional(),
  follow: z.string().optional(),
  /** `0` sends every frame by itself; otherwise stored deltas are merged. [LOG-5] */
  compact: z.string().optional(),
  /** `1` withholds the content of a step until it can no longer be rolled back. [LOG-11] */
  settled: z.string().optional(),
})

/** Maximum duration of a doctor stream. */
const maxDoctorMs = 600_000

/** The query of `GET /agent/{uuid}/commands`. */
export const commandsQuery = z.object({ cursor: z.string().optional() })

/** The query of `GET /doctor/stream`. */
export const doctorQuery = z
  .object({
    frames: count(1, 64).default(8),
    interval_ms: count(0, 60_000).default(200),
    /** A pause before the last frame. */
    idle_ms: count(0, maxDoctorMs).default(0),
    /** Interval of comments during that pause, 0 for none; the server's default if absent. */
    heartbeat_ms: count(0, maxDoctorMs)
      .refine((value) => value === 0 || value >= 50, 'must be 0, or at least 50')
      .optional(),
    /** Padding of each frame. */
    pad_bytes: count(0, 8_192).default(0),
    cursor: z.string().optional(),
  })
  .refine(
    ({ frames, interval_ms, idle_ms }) => frames * interval_ms + idle_ms <= maxDoctorMs,
    `frames × interval_ms + idle_ms must be at most ${maxDoctorMs}`,
  )

/** A whole number in decimal digits. */
function count(minimum: number, maximum: number) {
  return z
    .string()
    .transform((text) => (/^\d{1,10}$/.test(text) ? Number(text) : NaN))
    .refine(
      (value) => value >= minimum && value <= maximum,
      `must be a whole number from ${minimum} to ${maximum}`,
    )
    .meta({ type: 'integer', minimum, maximum })
}
