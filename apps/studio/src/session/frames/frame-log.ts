import type { StreamEvent } from 'millrace'
import type { Frame } from 'millrace/client'
import { detach } from '../../text/index.ts'
import { createListeners } from '../../ui/index.ts'
import { createFrameDecoder } from './frame-decoder.ts'
import { readHead } from './read-head.ts'

/** A frame with the facts that the list shows. */
export interface LoggedFrame extends Frame {
  /** Counts from 0 and never changes, also when older frames are dropped. */
  readonly index: number
  readonly type: string
  readonly agent: string
  /** The event that it completes. */
  readonly event: StreamEvent | undefined
  /** Size of `data` in UTF-8. */
  readonly bytes: number
  /** Time of arrival or storage in milliseconds since the epoch. */
  readonly time: number
  /** Storage time of the first merged message; usually the same as `time`. [LOG-5] */
  readonly since: number
  /** The time is known; history arrives when it is read. */
  readonly isTimed: boolean
  /** The server has reported the storage time; otherwise it is the time of arrival. */
  readonly isStored: boolean
}

/** Storage times: messages from an id on, until the id of the next pair, have a time. */
export type StoredTimes = readonly (readonly [firstId: number, unixMs: number])[]

/** The latest frames of a session. */
export interface FrameLog {
  readonly add: (frame: Frame, when?: FrameTime) => LoggedFrame
  /**
   * Sets the storage times from the first id up to `lastId`; later frames keep the time of arrival. Storage times are
   * converted to the local clock.
   */
  readonly setTimes: (times: StoredTimes, lastId?: number) => void
  readonly subscribe: (listener: () => void) => () => void
  /** The same object until frames are added. */
  readonly getSnapshot: () => FrameLogSnapshot
}

/** Time of a frame, and whether it is known. */
export interface FrameTime {
  readonly time?: number
  /** Time of the first message, if several were merged. */
  readonly since?: number
  readonly isTimed?: boolean
}

/** Frames at one time; the list grows in place. */
export interface FrameLogSnapshot {
  readonly frames: readonly LoggedFrame[]
  /** Number of all frames, also those dropped. */
  readonly total: number
  /** Size of all frames, also those dropped. */
  readonly bytes: number
  /** Time of the first frame. */
  readonly startTime: number
  /** Number of kept frames by type. */
  readonly types: ReadonlyMap<string, number>
  /** In order of appearance. */
  readonly agents: readonly string[]
  /** Changes with the times of frames. */
  readonly timesVersion: number
}

interface FrameLogOptions {
  /** The number of frames that are kept. */
  readonly maxFrames?: number
  /** The total size of the frames that are kept. */
  readonly maxBytes?: number
  /** Frames may be missing, as in a file. */
  readonly skipsHoles?: boolean
  readonly schedule?: (callback: () => void) => unknown
}

/**
 * The part by which a log may exceed its bounds before the oldest frames are dropped, because each trim copies the
 * rest.
 */
const SLACK = 1 / 8

/** Creates an empty log that notifies at most once per animation frame. */
export function createFrameLog(options: FrameLogOptions = {}): FrameLog {
  return new BoundedLog(options)
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

class BoundedLog implements FrameLog {
  readonly #maxFrames: number
  readonly #maxBytes: number
  readonly #schedule: (callback: () => void) => unknown
  readonly #decode: (frame: Frame) => StreamEvent | undefined
  readonly #listeners = createListeners()
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
  /** Offset of the local clock from the server's, once a live frame has arrived. */
  #ahead: number | undefined
  #isScheduled = false
  #snapshot: FrameLogSnapshot

  constructor({
    maxFrames = 200_000,
    maxBytes = 64 * 1024 * 1024,
    skipsHoles = false,
    schedule = scheduleFrame,
  }: FrameLogOptions) {
    this.#maxFrames = maxFrames
    this.#maxBytes = maxBytes
    this.#schedule = schedule
    this.#decode = createFrameDecoder(skipsHoles)
    this.#snapshot = this.#take()
  }

  readonly subscribe = this.#listeners.subscribe

  readonly getSnapshot = (): FrameLogSnapshot => this.#snapshot

  readonly add = (
    { id, data: text }: Frame,
    { time = Date.now(), since = time, isTimed = true }: FrameTime = {},
  ): LoggedFrame => {
    const data = detach(text)
    const bytes = sizeOf(data)
    const when = { time, since, isTimed, isStored: false }
    const event = this.#decode({ id, data })
    const frame = { id, data, event, index: this.#total++, bytes, ...when }
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
    return logged
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
      // Earlier stamps are on the server's clock.
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

  /** Measures the clock offset by the frame with the shortest delay; history does not count. */
  #measure(frames: readonly LoggedFrame[]): number | undefined {
    let least = Infinity
    for (const frame of frames) {
      if (!frame.isTimed || frame.isStored) continue
      const stored = timeOf(this.#storedTimes, this.#idOf(frame))
      if (stored !== undefined) least = Math.min(least, frame.time - stored)
    }
    return Number.isFinite(least) ? least : undefined
  }

  /** Returns the id of a frame; the end of a stream has that of the frame before. */
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
    this.#listeners.notify()
  }
}

/** Returns the storage time of a message: that of the last pair at or before its id. */
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

/** Returns the number of merged messages in a line; the field is after the delta, near the end. */
function readSpan(data: string): number {
  return Number(spanPattern.exec(data.slice(-200))?.[1] ?? 1)
}

/** Returns the size in UTF-8 without encoding the text. */
function sizeOf(text: string): number {
  let size = text.length
  for (let position = 0; position < text.length; position++) {
    const unit = text.charCodeAt(position)
    if (unit < 0x80) continue
    // Each half of a surrogate pair counts as two bytes.
    size += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return size
}

function scheduleFrame(callback: () => void): void {
  if (document.visibilityState === 'visible') requestAnimationFrame(callback)
  else setTimeout(callback, 250)
}
