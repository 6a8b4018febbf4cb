import type { Frame } from 'millrace/client'

/** A frame with what the list shows of it. */
export interface LoggedFrame extends Frame {
  /** Counts up from 0 and never changes, also when older frames are dropped. */
  readonly index: number
  readonly type: string
  readonly agent: string
  /** The size of `data` in UTF-8. */
  readonly bytes: number
  /** When it came. */
  readonly time: number
}

/** The frames of a session, the latest of them if there are many. */
export interface FrameLog {
  readonly add: (frame: Frame) => void
  readonly subscribe: (listener: () => void) => () => void
  /** The same object until frames were added. */
  readonly getSnapshot: () => FrameLogSnapshot
}

/** The frames at a moment; the list itself grows in place. */
export interface FrameLogSnapshot {
  readonly frames: readonly LoggedFrame[]
  /** All frames ever added, also those dropped. */
  readonly total: number
  readonly bytes: number
  /** When the first frame of all came. */
  readonly startTime: number
  /** How many frames of each type are kept. */
  readonly types: ReadonlyMap<string, number>
  /** In order of appearance. */
  readonly agents: readonly string[]
}

interface FrameLogOptions {
  /** How many frames are kept. */
  readonly maxFrames?: number
  readonly schedule?: (callback: () => void) => unknown
}

const encoder = new TextEncoder()

/** The list is trimmed in steps of this many frames, because each trim moves what is left. */
const TRIM_STEP = 500

/** Creates an empty log that tells of changes at most once for each animation frame. */
export function createFrameLog({
  maxFrames = 4_000,
  schedule = scheduleFrame,
}: FrameLogOptions = {}): FrameLog {
  const listeners = new Set<() => void>()
  const types = new Map<string, number>()
  const agents: string[] = []
  let frames: LoggedFrame[] = []
  let total = 0
  let bytes = 0
  let startTime = 0
  let snapshot: FrameLogSnapshot = { frames, total, bytes, startTime, types, agents }
  let scheduled = false

  function count(type: string, change: number): void {
    const left = (types.get(type) ?? 0) + change
    if (left > 0) types.set(type, left)
    else types.delete(type)
  }

  function trim(): void {
    if (frames.length < maxFrames + TRIM_STEP) return
    for (const { type } of frames.slice(0, -maxFrames)) count(type, -1)
    frames = frames.slice(-maxFrames)
  }

  function tell(): void {
    scheduled = false
    snapshot = { frames, total, bytes, startTime, types, agents }
    for (const listener of listeners) listener()
  }

  return {
    add(frame) {
      const { type, agent } = readHead(frame.data)
      const time = Date.now()
      const size = encoder.encode(frame.data).length
      if (total === 0) startTime = time
      if (agent && !agents.includes(agent)) agents.push(agent)
      const data = detach(frame.data)
      frames.push({ id: frame.id, data, index: total++, type, agent, bytes: size, time })
      bytes += size
      count(type, 1)
      trim()
      if (scheduled) return
      scheduled = true
      schedule(tell)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getSnapshot: () => snapshot,
  }
}

/** Type and agent stand first in every line, so there is no need to read the rest. [ENV-2] */
const head = /^\{"type":"([^"\\]*)","agent":"([^"\\]*)"/

function readHead(data: string): { readonly type: string; readonly agent: string } {
  const match = head.exec(data)
  if (match) return { type: match[1] ?? '', agent: match[2] ?? '' }
  if (data === '[DONE]') return { type: '[DONE]', agent: '' }
  try {
    const { type, agent } = JSON.parse(data) as { type?: unknown; agent?: unknown }
    return { type: String(type), agent: String(agent ?? '') }
  } catch {
    return { type: 'malformed', agent: '' }
  }
}

/** A copy that does not keep the network chunk alive that the text was cut from. */
function detach(text: string): string {
  return ` ${text}`.slice(1)
}

function scheduleFrame(callback: () => void): void {
  if (document.visibilityState === 'visible') requestAnimationFrame(callback)
  else setTimeout(callback, 250)
}
