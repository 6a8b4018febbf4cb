import { type Finding, note, ok, problem, toTime } from '../finding.ts'
import type { Check } from '../examination.ts'
import type { Probe } from '../probe.ts'

interface IdleSeen {
  readonly idleMs: number
  readonly silent: Probe
  readonly lively: Probe
  /** Interval of comments in the lively stream. */
  readonly livelyHeartbeatMs: number
  /** Interval of heartbeats of this server. */
  readonly ownHeartbeatMs: number
}

/** Checks that a silent stream stays open. */
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

/** Judges two pauses, one silent and one with comments. */
export function judgeIdle(seen: IdleSeen): Finding {
  const { idleMs, silent, lively, ownHeartbeatMs } = seen
  if (silent.end !== 'done') return judgeCut(seen, silentMs(silent))
  if (lively.end !== 'done') return judgeLimit(seen)
  return ok(
    `A silence of ${toTime(idleMs)} is not cut; heartbeats are sent every ${toTime(ownHeartbeatMs)}`,
  )
}

/** Judges a cut silence by the interval of heartbeats. */
function judgeCut(seen: IdleSeen, cutMs: number): Finding {
  const { ownHeartbeatMs, livelyHeartbeatMs, lively } = seen
  const what = `A silence is cut after ${toTime(cutMs)}${seen.silent.end === 'silent' ? ', without notice' : ''}`
  if (cutMs <= ownHeartbeatMs) {
    return problem(
      `${what}, and heartbeats are sent every ${toTime(ownHeartbeatMs)}`,
      'Streams are cut while a model thinks or a tool runs. Clients reconnect by themselves, again and again.',
      'idle',
    )
  }
  if (lively.end !== 'done' && cutMs > livelyHeartbeatMs) return judgeLimit(seen)
  if (cutMs < 2 * ownHeartbeatMs) {
    return note(
      `${what}; heartbeats every ${toTime(ownHeartbeatMs)} prevent that, with little margin`,
      'One late heartbeat is enough to cut the connection.',
      'idle',
    )
  }
  return ok(`${what}; heartbeats every ${toTime(ownHeartbeatMs)} prevent that`)
}

/** Judges a stream that was cut although it was not silent. */
function judgeLimit({ lively, livelyHeartbeatMs }: IdleSeen): Finding {
  const every = toTime(livelyHeartbeatMs)
  return lively.commentsMs.length > 0
    ? problem(
        `A stream was cut after ${toTime(lively.endedMs)}, though a heartbeat arrived every ${every}`,
        'A proxy limits the duration of a response; every long run is cut and resumed.',
        'duration',
      )
    : problem(
        `A stream with a heartbeat every ${every} was cut after ${toTime(lively.endedMs)}, and no heartbeat arrived`,
        'The heartbeats that keep the connection alive do not arrive.',
        'idle',
      )
}

/** Returns the duration of silence at the end of a stream. */
function silentMs({ chunks, endedMs }: Probe): number {
  return endedMs - (chunks.at(-1)?.atMs ?? 0)
}
