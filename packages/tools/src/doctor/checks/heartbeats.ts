import { toTime } from '../amounts.ts'
import type { Check } from '../examination.ts'
import { ok, problem } from '../finding.ts'

/** Checks whether the comments that keep an idle stream alive arrive. */
export const heartbeats: Check = {
  title: 'Heartbeats',
  run: async ({ lively, livelyHeartbeatMs: everyMs, idleMs }) => {
    const { commentsMs, frames, end } = await lively()
    const every = toTime(everyMs)
    // Another check reports the cut.
    if (end !== 'done') {
      return commentsMs.length === 0
        ? undefined
        : ok(`One arrived every ${every}, until the stream was cut`)
    }
    const sent = Math.ceil(idleMs / everyMs) - 1
    if (commentsMs.length === 0) {
      return problem(
        `None of ${sent} arrived`,
        'A proxy removes comments from the stream: other proxies and clients then treat an idle stream as dead.',
        'idle',
      )
    }
    const lastFrameMs = frames.at(-1)?.arrivedMs ?? 0
    const inTime = commentsMs.filter((atMs) => atMs <= lastFrameMs - everyMs / 2).length
    if (inTime > 0) return ok(`${commentsMs.length} of ${sent} arrived, one every ${every}`)
    return problem(
      `${commentsMs.length} of ${sent} arrived, all of them with the next frame`,
      'They are held back like all other data, so clients see a silent stream and disconnect.',
      'buffering',
    )
  },
}
