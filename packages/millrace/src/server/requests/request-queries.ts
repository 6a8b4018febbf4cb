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

/** The query of `GET /agent/{uuid}/stream`. */
export const streamQuery = z.object({
  cursor: z.string().optional(),
  format: z.string().optional(),
  follow: z.string().optional(),
  /** `0` sends every message of the log by itself; otherwise what a reader catches up with is merged. [LOG-5] */
  compact: z.string().optional(),
})

/** A whole number, written in digits alone. */
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
