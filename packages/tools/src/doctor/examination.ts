import type { Finding } from './finding.ts'
import { judgePace, type Pace } from './judge-pace.ts'
import type { Greeting, Probe } from './probe.ts'
import type { Visit } from './visit.ts'

/** The streams that several checks share, each requested on first use. */
export interface Examination extends Visit {
  readonly greeting: Greeting
  readonly greeted: Probe
  /** Requests small frames at a steady interval. */
  paced(): Promise<Probe>
  /** Requests a frame, a silence and a frame. */
  silent(): Promise<Probe>
  /** Requests the same with comments in the silence. */
  lively(): Promise<Probe>
  /** Interval of those comments. */
  readonly livelyHeartbeatMs: number
  /** Cuts a stream after its second frame, and resumes it in both ways. */
  resumed(): Promise<{ readonly byHeader: Probe; readonly byAddress: Probe }>
  judge(probe: Probe): Pace
}

/** One check of a server. */
export interface Check {
  readonly title: string
  /** Resolves with undefined if the check does not apply. */
  run(examination: Examination): Promise<Finding | undefined>
}

/** The default interval of heartbeats; shorter tests use a shorter one. */
const longestHeartbeatMs = 15_000

/** Creates the examination that all checks read: each of its requests is sent once, for the first check that needs it. */
export function createExamination(visit: Visit, greeted: Probe, greeting: Greeting): Examination {
  const { frames, intervalMs, idleMs, holdMs, probe } = visit
  const livelyHeartbeatMs = Math.min(longestHeartbeatMs, Math.max(50, Math.round(idleMs / 3)))
  const pause = { frames: 2, intervalMs: 0, idleMs }
  return {
    ...visit,
    greeting,
    greeted,
    livelyHeartbeatMs,
    paced: once(() => probe({ frames, intervalMs })),
    silent: once(() => probe({ ...pause, heartbeatMs: 0 })),
    lively: once(() => probe({ ...pause, heartbeatMs: livelyHeartbeatMs })),
    resumed: once(async () => {
      const stream = { frames: 5, intervalMs: 50 }
      await probe({ ...stream, cutAfter: 2 })
      const [byHeader, byAddress] = await Promise.all([
        probe({ ...stream, headers: { 'last-event-id': '2' } }),
        probe({ ...stream, cursor: 2 }),
      ])
      return { byHeader, byAddress }
    }),
    judge: (one) => judgePace(one.frames, { holdMs }),
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
