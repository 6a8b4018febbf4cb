import { encodeSse } from 'millrace'
import type { LoggedFrame } from '../session/frames/index.ts'

/** Precedes frames with unknown times after frames with known ones. */
const untimed = ': at unknown\n'

/**
 * Encodes frames as server-sent events, like the export of a session. A comment precedes each change of the time: `:
 * at` and milliseconds since the epoch; for merged messages also the time of the first one. Other readers skip
 * comments.
 */
export function encodeFrames(frames: readonly LoggedFrame[]): string {
  let text = ''
  let last = untimed
  for (const frame of frames) {
    const when = toComment(frame)
    if (when !== last) text += when
    last = when
    text += encodeSse({ ...(frame.id !== undefined && { id: frame.id }), data: frame.data })
  }
  return text
}

function toComment({ time, since, isTimed }: LoggedFrame): string {
  if (!isTimed) return untimed
  return since === time ? `: at ${time}\n` : `: at ${time} ${since}\n`
}

const SLICE = 5_000

/** Writes frames into a file in slices, so that the page stays responsive. */
export async function encodeFramesFile(
  frames: readonly LoggedFrame[],
  pause: () => Promise<void>,
): Promise<Blob> {
  const parts: string[] = []
  for (let start = 0; start < frames.length; start += SLICE) {
    parts.push(encodeFrames(frames.slice(start, start + SLICE)))
    await pause()
  }
  return new Blob(parts, { type: 'text/event-stream' })
}
