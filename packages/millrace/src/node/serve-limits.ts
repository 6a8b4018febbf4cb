import { checkLimits } from '../errors/index.ts'
import { readDescriptorLimit } from './descriptor-limit.ts'

/** The limits of a listening server. */
export interface ServeLimits {
  /** Open connections, lowered to three quarters of the descriptors that the process may have. */
  readonly maxConnections?: number
  /** Connections that have not sent a complete request head yet; the oldest is closed for a new one. */
  readonly maxPendingConnections?: number
  /** How long a connection may take to send a complete request head. */
  readonly headersTimeoutMs?: number
  /** How long a connection without a request is kept. */
  readonly keepAliveTimeoutMs?: number
}

/** The limits where none are given. */
const defaults: Required<ServeLimits> = {
  maxConnections: 16_384,
  maxPendingConnections: 1_024,
  headersTimeoutMs: 15_000,
  // Longer than nginx and load balancers (60 s) and Caddy (120 s) keep theirs: whoever closes an idle connection first
  // must be the side that sends requests, or a request meets the close on its way.
  keepAliveTimeoutMs: 125_000,
}

/** The part of all descriptors that connections may take; stores, models and files need the others. */
const connectionShare = 0.75

/** Checks limits and fills in those that are not given. */
export function toServeLimits(
  given: ServeLimits = {},
  descriptors: number | undefined = readDescriptorLimit(),
): Required<ServeLimits> {
  checkLimits(given, defaults)
  const limits = { ...defaults, ...given }
  const available = Math.floor((descriptors ?? Infinity) * connectionShare)
  return { ...limits, maxConnections: Math.min(limits.maxConnections, available) }
}
