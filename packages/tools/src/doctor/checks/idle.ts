import { toTime } from '../amounts.ts'
import type { Check } from '../examination.ts'
import { type Finding, note, ok, problem } from '../finding.ts'
import type { Probe } from '../probe.ts'

/** What a silence has shown. */
export interface IdleSeen {
  readonly idleMs: number
  readonly silent: Probe
  readonly lively: Probe
  /** How often comments were sent in the lively stream. */
  readonly livelyHeartbeatMs: number
  /** How often this server sends them. */
  readonly ownHeartbeatMs: number
}

/** Whether a stream that says nothing for a while is cut. */
export const idle: Check = {
  title: 'Silence',
  run: async ({ idleMs, livelyHeartbeatMs, greeting, silent, lively }) => {
    const [one, other] = await Promise.all([silent(), lively()])
    return judgeIdle({
      idleMs,
      silent: one,
      lively: other,
      livelyHeartbeatMs,
      ownHeartbeatMs: greeting.heartbeatMs,
    })
  },
}

/** Says what two pauses have shown, one silent and one with comments. */
export function judgeIdle(seen: IdleSeen): Finding {
  const { idleMs, silent, lively, ownHeartbeatMs } = seen
  if (silent.end !== 'done') return judgeCut(seen, silentMs(silent))
  if (lively.end !== 'done') return judgeLimit(seen)
  return ok(
    `A silence of ${toTime(idleMs)} is kept; heartbeats come every ${toTime(ownHeartbeatMs)}`,
  )
}

/** A silence is cut: whether that matters depends on how often the server breaks it. */
function judgeCut(seen: IdleSeen, cutMs: number): Finding {
  const { ownHeartbeatMs, livelyHeartbeatMs, lively } = seen
  const what = `A silence is cut after ${toTime(cutMs)}${seen.silent.end === 'silent' ? ', without a word' : ''}`
  if (cutMs <= ownHeartbeatMs) {
    return problem(
      `${what}, and heartbeats come every ${toTime(ownHeartbeatMs)}`,
      'Streams break while a model thinks or a tool works. Clients come back by themselves, again and again.',
      'idle',
    )
  }
  if (lively.end !== 'done' && cutMs > livelyHeartbeatMs) return judgeLimit(seen)
  if (cutMs < 2 * ownHeartbeatMs) {
    return note(
      `${what}; heartbeats every ${toTime(ownHeartbeatMs)} prevent that, with little room`,
      'One heartbeat that comes late is enough to lose the connection.',
      'idle',
    )
  }
  return ok(`${what}; heartbeats every ${toTime(ownHeartbeatMs)} prevent that`)
}

/** Cut although something was said all the time. */
function judgeLimit({ lively, livelyHeartbeatMs }: IdleSeen): Finding {
  const every = toTime(livelyHeartbeatMs)
  return lively.commentsMs.length > 0
    ? problem(
        `A stream was cut after ${toTime(lively.endedMs)}, though a heartbeat came every ${every}`,
        'Something limits how long an answer may take as a whole; every long run is cut and resumed.',
        'duration',
      )
    : problem(
        `A stream with a heartbeat every ${every} was cut after ${toTime(lively.endedMs)}, and no heartbeat came`,
        'What is to keep the connection alive does not come through.',
        'idle',
      )
}

/** How long nothing had come when a stream was over. */
function silentMs({ chunks, endedMs }: Probe): number {
  return endedMs - (chunks.at(-1)?.atMs ?? 0)
}
