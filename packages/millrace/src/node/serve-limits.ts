import { readFileSync } from 'node:fs'
import { checkLimits } from '../errors/index.ts'

/** The limits of a listening server. */
export interface ServeLimits {
  /** Maximum open connections, lowered to three quarters of the file descriptors of the process. */
  readonly maxConnections?: number
  /** Maximum connections without a complete request head; the oldest is closed for a new one. */
  readonly maxPendingConnections?: number
  /** Time in which a connection must send a complete request head. */
  readonly headersTimeoutMs?: number
  /** Time for which a connection without a request is kept. */
  readonly keepAliveTimeoutMs?: number
}

const defaults: Required<ServeLimits> = {
  maxConnections: 16_384,
  maxPendingConnections: 1_024,
  headersTimeoutMs: 15_000,
  // Longer than nginx and load balancers (60 s) and Caddy (120 s): the side that sends requests must close an idle
  // connection first, or a request crosses the close.
  keepAliveTimeoutMs: 125_000,
}

/** Share of the file descriptors for connections; stores, models and files need the rest. */
const connectionShare = 0.75

/** Checks limits and adds the defaults. */
export function toServeLimits(
  given: ServeLimits = {},
  descriptors: number | undefined = readDescriptorLimit(),
): Required<ServeLimits> {
  checkLimits(given, defaults)
  const limits = { ...defaults, ...given }
  const available = Math.floor((descriptors ?? Infinity) * connectionShare)
  return { ...limits, maxConnections: Math.min(limits.maxConnections, available) }
}

/** Reads the maximum number of open file descriptors of this process; undefined if it is unknown. */
function readDescriptorLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1])
    return Number.isInteger(limit) ? limit : undefined
  } catch {
    return undefined
  }
}
