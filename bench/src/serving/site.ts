import type { StoreName } from '../servers/index.ts'

/**
 * The text of one event of the bench: 30 characters, beginning with the time at which it was
 * emitted.
 */
const DELTA_LENGTH = 30

/** How much is said: so many runs, each so many times a second. */
export interface Load {
  readonly runs: number
  readonly perSecond: number
}

/** The resources that a server has used so far, or holds now; memory in bytes. */
export interface Usage {
  readonly cpuMs: number
  readonly events: number
  readonly rss: number
  /** The most since this was last asked. */
  readonly peakRss: number
  readonly heap: number
}

/** A server that is measured: ours on a store, or the least that Node can do. */
export type SiteKind = StoreName | 'raw'

/** A server in a process of its own, driven from outside. */
export interface Site {
  /** Listens on loopback; gives its port. */
  listen(): Promise<number>
  /** Starts runs; gives the path at which each can be watched. */
  start(load: Load): Promise<readonly string[]>
  /** Ends all runs; gives how many messages their logs hold, if they have any. */
  stop(): Promise<number | undefined>
  /** Makes a session of so many messages that is over; gives the path at which it can be read. */
  fill(messages: number): Promise<string>
  /** Bytes written to readers that their sockets have not taken, in all and for the one with the most. */
  held(): Promise<{ readonly total: number; readonly most: number }>
  /** Collects garbage first if asked to. */
  usage(collects: boolean): Promise<Usage>
}

/** The name of a command of a site. */
export type Command = keyof Site

/** The time on both sides of a connection, in milliseconds with fractions. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now()
}

/** The next thing that a run says. */
export function nextDelta(): string {
  return wallClock().toFixed(3).padEnd(DELTA_LENGTH, ' the mill turns')
}
