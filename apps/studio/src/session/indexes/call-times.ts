import type { StreamEvent } from 'millrace'
import type { LoggedFrame } from '../frames/index.ts'

/** The frames at which calls started and ended, for their durations. */
export interface CallTimes {
  /** Adds a frame of the log. */
  readonly add: (frame: Pick<LoggedFrame, 'event' | 'index'>) => void
  /** Returns the duration of a call in milliseconds; undefined if it has not ended or its times are unknown. */
  readonly durationOf: (callId: string, frames: readonly LoggedFrame[]) => number | undefined
}

interface Place {
  readonly start: number
  readonly end?: number
}

type Mark = 'start' | 'end' | 'none'

/**
 * Meaning of complete blocks and of stages for the time of a call. The time for an approval or an answer does not count:
 * only started tools and those of the provider have a time. [LIFE-11]
 */
const blockMarks: Partial<Record<StreamEvent['type'], Mark>> = {
  tool_call: 'none',
  server_tool_call: 'start',
  tool_result: 'end',
  server_tool_result: 'end',
}
const stageMarks = new Map<string, Mark>([
  ['approval_requested', 'none'],
  ['started', 'start'],
])

/** Creates an empty index; the oldest calls are dropped first. */
export function createCallTimes({ maxCalls = 5_000 } = {}): CallTimes {
  const places = new Map<string, Place>()

  function put(id: string, place: Place): void {
    places.set(id, place)
    const [oldest] = places.keys()
    if (places.size > maxCalls && oldest !== undefined) places.delete(oldest)
  }

  return {
    add({ event, index }) {
      if (event === undefined || !('callId' in event)) return
      const { callId: id } = event
      const mark = markOf(event)
      const known = places.get(id)
      if (mark === 'start') put(id, { start: index })
      else if (mark === 'none') places.delete(id)
      else if (mark === 'end' && known) put(id, { ...known, end: index })
    },
    durationOf(callId, frames) {
      const { start, end } = places.get(callId) ?? {}
      const dropped = frames[0]?.index ?? 0
      const [from, to] = [start, end].map((at) => (at === undefined ? at : frames[at - dropped]))
      if (!from?.isTimed || !to?.isTimed) return undefined
      return Math.max(0, to.time - from.time)
    },
  }
}

function markOf(event: StreamEvent): Mark | undefined {
  if (event.type === 'tool_status') return stageMarks.get(event.stage)
  return 'end' in event && event.end ? blockMarks[event.type] : undefined
}
