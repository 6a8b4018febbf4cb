import type { FramedBody } from './framed-body.ts'
import type { ReadMessage } from './read-messages.ts'
import type { Recording } from './recording.ts'

/** A recording, read once and ready to be checked. */
export interface CheckedRecording extends Recording, FramedBody {
  /** The messages in it, read whole. */
  readonly messages: readonly ReadMessage[]
}

/** What a check found. */
export interface CheckResult {
  /** How many ways were tried. */
  readonly cases: number
  readonly faults: readonly string[]
}

/** One promise that every recording must keep. */
export interface RecordingCheck {
  readonly name: string
  run(recording: CheckedRecording): CheckResult | Promise<CheckResult>
}

/** Beyond this size not every byte is tried. */
export const EVERY_BYTE_LIMIT = 1024 * 1024

/** So many of `count` places, spread evenly, the first and the last among them. */
export function spread(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, place) => place)
  const step = (count - 1) / (most - 1)
  return Array.from({ length: most }, (_, place) => Math.round(place * step))
}
