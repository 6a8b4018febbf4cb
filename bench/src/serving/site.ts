import type { StoreName } from '../servers/index.ts'

/** The text of one event of the bench: 30 characters, beginning with its time of emission. */
const DELTA_LENGTH = 30

/** The load: a number of runs, and the events of each for each second. */
export interface Load {
  readonly runs: number
  readonly perSecond: number
}

/** The resources that a server has used so far, or holds now; memory in bytes. */
export interface Usage {
  readonly cpuMs: number
  readonly events: number
  readonly rss: number
  /** The maximum since the last call. */
  readonly peakRss: number
  readonly heap: number
}

/** A measured server: ours on a store, or the minimum server on Node. */
export type SiteKind = StoreName | 'raw'

/** A server in a separate process, driven from outside. */
export interface Site {
  /** Listens on loopback; returns its port. */
  listen(): Promise<number>
  /** Starts runs; returns the path of the stream of each. */
  start(load: Load): Promise<readonly string[]>
  /** Ends all runs; returns the number of frames in their logs, if they have any. */
  stop(): Promise<number | undefined>
  /** Creates a session of this many frames that has ended; returns the path of its stream. */
  fill(messages: number): Promise<string>
  /** Bytes written to readers that their sockets have not accepted, in total and for the reader with the most. */
  held(): Promise<{ readonly total: number; readonly most: number }>
  /** Collects garbage first if requested. */
  usage(collects: boolean): Promise<Usage>
}

/** The name of a command of a site. */
export type Command = keyof Site

/** The time on both sides of a connection, in milliseconds with fractions. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now()
}

/** The next text of a run. */
export function nextDelta(): string {
  return wallClock().toFixed(3).padEnd(DELTA_LENGTH, ' the mill turns')
}
