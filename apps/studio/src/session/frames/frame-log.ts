import type { Frame } from 'millrace/client'
import { detach } from '../../text/index.ts'
import { readHead } from './read-head.ts'

/** A frame with what the list shows of it. */
export interface LoggedFrame extends Frame {
  /** Counts up from 0 and never changes, also when older frames are dropped. */
  readonly index: number
  readonly type: string
  readonly agent: string
  /** The size of `data` in UTF-8. */
  readonly bytes: number
  /** When it came, or was stored, in milliseconds since the epoch. */
  readonly time: number
  /** When the first of the messages that it stands for was stored; the same as `time` for most. [LOG-5] */
  readonly since: number
  /** Whether that is known: frames that were read after the fact come when they are read. */
  readonly isTimed: boolean
  /** Whether the server has affected when it was stored; else the time is that of its arrival. */
  readonly isStored: boolean
}

/** When messages were stored: those from an id on, until the id of the next pair, at a time. */
export type StoredTimes = readonly (readonly [firstId: number, unixMs: number])[]

/** The frames of a session, the latest of them if there are many. */
export interface FrameLog {
  readonly add: (frame: Frame, when?: FrameTime) => void
  /**
   * Says when frames were stored, from the first id that is affected up to one; for later ones the time of arrival counts.
   * Stored times are shown on the clock of arrivals, so that both can stand in one list.
   */
  readonly setTimes: (times: StoredTimes, lastId?: number) => void
  readonly subscribe: (listener: () => void) => () => void
  /** The same object until frames were added. */
  readonly getSnapshot: () => FrameLogSnapshot
}

/** When a frame came, and whether that means anything. */
export interface FrameTime {
  readonly time?: number
  /** When the first of the messages that it stands for came, if it stands for several. */
  readonly since?: number
  readonly isTimed?: boolean
}

/** The frames at a moment; the list itself grows in place. */
export interface FrameLogSnapshot {
  readonly frames: readonly LoggedFrame[]
  /** All frames ever added, also those dropped. */
  readonly total: number
  /** The size of all frames ever added. */
  readonly bytes: number
  /** When the first frame of all came. */
  readonly startTime: number
  /** How many frames of each type are kept. */
  readonly types: ReadonlyMap<string, number>
  /** In order of appearance. */
  readonly agents: readonly string[]
  /** Another number when times of frames have changed. */
  readonly timesVersion: number
}

interface FrameLogOptions {
  /** How many frames are kept. */
  readonly maxFrames?: number
  /** How large the frames that are kept may be together. */
  readonly maxBytes?: number
  readonly schedule?: (callback: () => void) => unknown
}

/** A log may outgrow its bounds by this part before the oldest frames go: each trim moves what is left. */
const SLACK = 1 / 8

/** Creates an empty log that tells of changes at most once for each animation frame. */
export function createFrameLog(options: FrameLogOptions = {}): FrameLog {
  return new BoundedLog(options)
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

class BoundedLog implements FrameLog {
  readonly #maxFrames: number
  readonly #maxBytes: number
  readonly #schedule: (callback: () => void) => unknown
  readonly #listeners = new Set<() => void>()
  readonly #types = new Map<string, number>()
  readonly #agents = new Set<string>()
  #agentList: readonly string[] = []
  #frames: Mutable<LoggedFrame>[] = []
  #keptBytes = 0
  #total = 0
  #bytes = 0
  #startTime = 0
  #timesVersion = 0
  #lastStoredId = 0
  #storedTimes: StoredTimes = []
  /** How far the clock of arrivals is ahead of the server's, once something has come as it happened. */
  #ahead: number | undefined
  #isScheduled = false
  #snapshot: FrameLogSnapshot

  constructor({
    maxFrames = 200_000,
    maxBytes = 64 * 1024 * 1024,
    schedule = scheduleFrame,
  }: FrameLogOptions) {
    this.#maxFrames = maxFrames
    this.#maxBytes = maxBytes
    this.#schedule = schedule
    this.#snapshot = this.#take()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly getSnapshot = (): FrameLogSnapshot => this.#snapshot

  readonly add = (
    { id, data: text }: Frame,
    { time = Date.now(), since = time, isTimed = true }: FrameTime = {},
  ): void => {
    const data = detach(text)
    const bytes = sizeOf(data)
    const when = { time, since, isTimed, isStored: false }
    const frame = { id, data, index: this.#total++, bytes, ...when }
    const logged: Mutable<LoggedFrame> = { ...frame, ...readHead(data) }
    if (id !== undefined && id <= this.#lastStoredId) this.#stamp(logged)
    if (logged.index === 0) this.#startTime = logged.since
    if (logged.agent && !this.#agents.has(logged.agent)) {
      this.#agents.add(logged.agent)
      this.#agentList = [...this.#agents]
    }
    this.#frames.push(logged)
    this.#bytes += bytes
    this.#keptBytes += bytes
    this.#count(logged.type, 1)
    this.#trim()
    this.#change()
  }

  readonly setTimes = (times: StoredTimes, lastId = Infinity): void => {
    const [firstId = 0] = times[0] ?? []
    this.#storedTimes = [...this.#storedTimes.filter(([id]) => id < firstId), ...times]
    this.#lastStoredId = times.at(-1)?.[0] ?? 0
    const affected = this.#frames.filter((frame) => {
      const id = this.#idOf(frame)
      return id >= firstId && id <= lastId
    })
    if (this.#ahead === undefined) {
      this.#ahead = this.#measure(affected)
      // What was stamped before the clocks were compared stands on the server's.
      for (const frame of this.#frames) if (frame.isStored) this.#stamp(frame)
    }
    for (const frame of affected) this.#stamp(frame)
    const first = this.#frames[0]
    if (first?.index === 0) this.#startTime = first.since
    this.#timesVersion++
    this.#change()
  }

  #stamp(frame: Mutable<LoggedFrame>): void {
    const last = this.#idOf(frame)
    const time = timeOf(this.#storedTimes, last)
    if (time === undefined) return
    const ahead = this.#ahead ?? 0
    const since = timeOf(this.#storedTimes, last - readSpan(frame.data) + 1) ?? time
    frame.time = time + ahead
    frame.since = since + ahead
    frame.isTimed = true
    frame.isStored = true
  }

  /** What arrived soonest after it was stored tells most of the clocks; what was read after the fact, nothing. */
  #measure(frames: readonly LoggedFrame[]): number | undefined {
    let least = Infinity
    for (const frame of frames) {
      if (!frame.isTimed || frame.isStored) continue
      const stored = timeOf(this.#storedTimes, this.#idOf(frame))
      if (stored !== undefined) least = Math.min(least, frame.time - stored)
    }
    return Number.isFinite(least) ? least : undefined
  }

  /** The end of a stream has no place in the log; it goes with what came before. */
  #idOf({ id, index }: LoggedFrame): number {
    const first = this.#frames[0]?.index ?? 0
    return id ?? this.#frames[index - first - 1]?.id ?? 0
  }

  #count(type: string, change: number): void {
    const left = (this.#types.get(type) ?? 0) + change
    if (left > 0) this.#types.set(type, left)
    else this.#types.delete(type)
  }

  #trim(): void {
    const isOver =
      this.#frames.length > this.#maxFrames * (1 + SLACK) ||
      this.#keptBytes > this.#maxBytes * (1 + SLACK)
    if (!isOver) return
    let drop = Math.max(0, this.#frames.length - this.#maxFrames)
    let left = this.#keptBytes
    for (const [position, { bytes, type }] of this.#frames.entries()) {
      if (position >= drop && left <= this.#maxBytes) break
      drop = Math.max(drop, position + 1)
      left -= bytes
      this.#count(type, -1)
    }
    this.#keptBytes = left
    this.#frames = this.#frames.slice(drop)
  }

  #take(): FrameLogSnapshot {
    return {
      frames: this.#frames,
      total: this.#total,
      bytes: this.#bytes,
      startTime: this.#startTime,
      types: this.#types,
      agents: this.#agentList,
      timesVersion: this.#timesVersion,
    }
  }

  #change(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#schedule(this.#notify)
  }

  readonly #notify = (): void => {
    this.#isScheduled = false
    this.#snapshot = this.#take()
    for (const listener of this.#listeners) listener()
  }
}

/** When a message was stored: the time of the last pair that begins at or before it. */
function timeOf(times: StoredTimes, id: number): number | undefined {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle]?.[0] ?? Infinity) <= id) low = middle + 1
    else high = middle
  }
  return times[low - 1]?.[1]
}

const spanPattern = /,"span":(\d+)[,}]/

/** How many messages a line stands for; the field follows the delta, so it is looked for at the end. */
function readSpan(data: string): number {
  return Number(spanPattern.exec(data.slice(-200))?.[1] ?? 1)
}

/** The size in UTF-8 without making the bytes. */
function sizeOf(text: string): number {
  let size = text.length
  for (let position = 0; position < text.length; position++) {
    const unit = text.charCodeAt(position)
    if (unit < 0x80) continue
    // Each half of a pair counts two.
    size += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return size
}

function scheduleFrame(callback: () => void): void {
  if (document.visibilityState === 'visible') requestAnimationFrame(callback)
  else setTimeout(callback, 250)
}
