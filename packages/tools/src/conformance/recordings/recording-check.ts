import type { FramedBody } from './framed-body.ts'
import type { ReadMessage } from './read-messages.ts'
import type { Recording } from './recording.ts'

/** A recording, decoded for its checks. */
export interface CheckedRecording extends Recording, FramedBody {
  /** Its messages, decoded from the whole body. */
  readonly messages: readonly ReadMessage[]
}

interface CheckResult {
  readonly cases: number
  readonly faults: readonly string[]
}

/** One rule for every recording. */
export interface RecordingCheck {
  readonly name: string
  run(recording: CheckedRecording): CheckResult | Promise<CheckResult>
}

/** Maximum size of a body that is cut at every byte. */
export const EVERY_BYTE_LIMIT = 1024 * 1024

/** Returns at most `most` of `count` places, evenly spread, including the first and the last. */
export function spread(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, place) => place)
  const step = (count - 1) / (most - 1)
  return Array.from({ length: most }, (_, place) => Math.round(place * step))
}
