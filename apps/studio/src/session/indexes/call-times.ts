import type { Frame } from 'millrace/client'
import type { LoggedFrame } from '../frames/index.ts'

/** The frames at which calls started and ended, for their durations. */
export interface CallTimes {
  /** Adds a frame of the log. */
  readonly add: (frame: Frame) => void
  /** Returns the duration of a call in milliseconds; undefined if it has not ended or its times are unknown. */
  readonly durationOf: (toolUseId: string, frames: readonly LoggedFrame[]) => number | undefined
}

interface Place {
  readonly start: number
  readonly end?: number
}

/** Type, agent and `final` are the first fields of every line, so other lines are not parsed. [ENV-2] */
const head = /^\{"type":"((?:server_)?tool_(?:call|result|status))","agent":"[^"\\]*","final":true,/
/** The other fields are after the text, in which their quotes would be escaped. */
const idField = /,"id":"([^"\\]*)"[,}]/
const stageField = /,"stage":"([^"\\]*)"[,}]/
const TAIL_LENGTH = 600

/**
 * Meaning of types and stages for the time of a call. The time for an approval or an answer does not count: only
 * started tools and those of the provider have a time. [LIFE-11]
 */
const marks = new Map<string, 'start' | 'end' | 'none'>([
  ['tool_call', 'none'],
  ['server_tool_call', 'start'],
  ['tool_result', 'end'],
  ['server_tool_result', 'end'],
  ['approval_requested', 'none'],
  ['started', 'start'],
])

/** Creates an empty index; the oldest calls are dropped first. */
export function createCallTimes({ maxCalls = 5_000 } = {}): CallTimes {
  const places = new Map<string, Place>()
  let index = -1

  function put(id: string, place: Place): void {
    places.set(id, place)
    const [oldest] = places.keys()
    if (places.size > maxCalls && oldest !== undefined) places.delete(oldest)
  }

  function take(type: string, id: string, tail: string): void {
    const mark = marks.get(type) ?? marks.get(stageField.exec(tail)?.[1] ?? '')
    const known = places.get(id)
    if (mark === 'start') put(id, { start: index })
    else if (mark === 'none') places.delete(id)
    else if (mark === 'end' && known) put(id, { ...known, end: index })
  }

  return {
    add({ data }) {
      index++
      const type = head.exec(data)?.[1]
      if (type === undefined) return
      const tail = data.slice(-TAIL_LENGTH)
      const id = idField.exec(tail)?.[1]
      if (id !== undefined) take(type, id, tail)
    },
    durationOf(toolUseId, frames) {
      const { start, end } = places.get(toolUseId) ?? {}
      const dropped = frames[0]?.index ?? 0
      const [from, to] = [start, end].map((at) => (at === undefined ? at : frames[at - dropped]))
      if (!from?.isTimed || !to?.isTimed) return undefined
      return Math.max(0, to.time - from.time)
    },
  }
}
