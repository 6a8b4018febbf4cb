import type { Frame } from 'millrace/client'
import type { LoggedFrame } from '../frames/index.ts'

/** Remembers which frames a call began to run and ended with, to tell how long it took. */
export interface CallTimes {
  /** Takes each frame that the log takes. */
  readonly add: (frame: Frame) => void
  /** How long a call ran, in milliseconds; undefined if it has not ended or nobody knows when. */
  readonly durationOf: (toolUseId: string, frames: readonly LoggedFrame[]) => number | undefined
}

interface Place {
  readonly start: number
  readonly end?: number
}

/** Type, agent and whether it is the last piece stand first in every line, so most need not be read. [ENV-2] */
const head = /^\{"type":"((?:server_)?tool_(?:call|result|status))","agent":"[^"\\]*","final":true,/
/** The other fields follow the text, in which their quotes would be escaped. */
const idField = /,"id":"([^"\\]*)"[,}]/
const stageField = /,"stage":"([^"\\]*)"[,}]/
const TAIL_LENGTH = 600

/**
 * What a type or a stage says of a call's time. A person may be asked before a tool runs or in place of it, and that
 * time is not the tool's: only a call that was told to have started has a time, or one that the model's server runs.
 * [LIFE-11]
 */
const marks = new Map<string, 'start' | 'end' | 'none'>([
  ['tool_call', 'none'],
  ['server_tool_call', 'start'],
  ['tool_result', 'end'],
  ['server_tool_result', 'end'],
  ['approval_requested', 'none'],
  ['started', 'start'],
])

/** Creates a memory of the frames of calls; the oldest are forgotten first. */
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
