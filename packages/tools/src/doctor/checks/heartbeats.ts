import { toTime } from '../amounts.ts'
import type { Check } from '../examination.ts'
import { ok, problem } from '../finding.ts'

/** Whether the comments come through that keep a quiet stream alive. */
export const heartbeats: Check = {
  title: 'Heartbeats',
  run: async ({ lively, livelyHeartbeatMs: everyMs, idleMs }) => {
    const { commentsMs, frames, end } = await lively()
    const every = toTime(everyMs)
    // What cuts the stream is told by another check.
    if (end !== 'done') {
      return commentsMs.length === 0
        ? undefined
        : ok(`One came every ${every}, until the stream was cut`)
    }
    const sent = Math.ceil(idleMs / everyMs) - 1
    if (commentsMs.length === 0) {
      return problem(
        `None of ${sent} came`,
        'Something takes comments out of the stream: proxies and clients then take a quiet stream for a dead one.',
        'idle',
      )
    }
    const lastFrameMs = frames.at(-1)?.arrivedMs ?? 0
    const inTime = commentsMs.filter((atMs) => atMs <= lastFrameMs - everyMs / 2).length
    if (inTime > 0) return ok(`${commentsMs.length} of ${sent} came, one every ${every}`)
    return problem(
      `${commentsMs.length} of ${sent} came, all of them with the next frame`,
      'They are held back like everything else, so whoever waits behind sees a silent stream and gives up.',
      'buffering',
    )
  },
}
