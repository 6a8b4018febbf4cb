import type { Finding } from './finding.ts'
import { judgePace, type Pace } from './judge-pace.ts'
import type { Greeting, Probe } from './probe.ts'
import type { Visit } from './visit.ts'

/** Streams that several checks look at, each asked for when the first of them does. */
export interface Examination extends Visit {
  /** What the server said when it was asked for one frame. */
  readonly greeting: Greeting
  readonly greeted: Probe
  /** Small frames, evenly spaced. */
  paced(): Promise<Probe>
  /** A frame, a silence, a frame. */
  silent(): Promise<Probe>
  /** The same with comments in the silence. */
  lively(): Promise<Probe>
  /** How often those comments are sent. */
  readonly livelyHeartbeatMs: number
  /** A stream that was cut after its second frame, asked for again in both ways. */
  resumed(): Promise<{ readonly byHeader: Probe; readonly byAddress: Probe }>
  judge(probe: Probe): Pace
}

/** One thing to look at. */
export interface Check {
  readonly title: string
  /** Nothing is found where nothing was asked for. */
  run(examination: Examination): Promise<Finding | undefined>
}

/** How often any server says something, at least; a shorter test says it more often. */
const longestHeartbeatMs = 15_000

/** Prepares what checks share. */
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
