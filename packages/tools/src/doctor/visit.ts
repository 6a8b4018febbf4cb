import { type ExchangeOptions } from './exchange.ts'
import { type Probe, type ProbeOptions, type ProbePlace, probeStream } from './probe.ts'
import { fetchReply, type Reply } from './reply.ts'

/** Options of an examination. */
export interface VisitOptions {
  readonly url: URL
  readonly token?: string | undefined
  /** The site whose pages use the server. */
  readonly origin?: string | undefined
  /** Duration of the tested silence. */
  readonly idleMs?: number
  /** Number and interval of the frames that measure the pace. */
  readonly frames?: number
  readonly intervalMs?: number
  /** A frame that arrives this much later than others was held back. */
  readonly holdMs?: number
  readonly timeoutMs?: number
  readonly signal: AbortSignal
}

/** A deployment under examination, and the functions to query it. */
export interface Visit {
  /** Ends with a slash. */
  readonly base: URL
  readonly token: string | undefined
  readonly origin: string | undefined
  readonly idleMs: number
  readonly frames: number
  readonly intervalMs: number
  readonly holdMs: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Sends a request to a path below the base. */
  ask(path: string, options?: Partial<ExchangeOptions>): Promise<Reply>
  /** Requests paced frames. */
  probe(options: ProbeOptions): Promise<Probe>
}

/** Creates the requests of an examination, which share its address and limits. */
export function createVisit(options: VisitOptions): Visit {
  const { url, token, origin, signal } = options
  const { idleMs = 3_000, frames = 12, intervalMs = 250, timeoutMs = 15_000 } = options
  const { holdMs = 2 * intervalMs } = options
  const base = toBase(url)
  const place: ProbePlace = {
    base,
    token,
    signal,
    graceMs: timeoutMs,
    now: () => performance.now(),
    wallNow: Date.now,
  }
  const settings = { base, token, origin, idleMs, frames, intervalMs, holdMs, timeoutMs, signal }
  return {
    ...settings,
    ask: (path, given = {}) => fetchReply(new URL(path, base), { signal, timeoutMs, ...given }),
    probe: (given) => probeStream(place, given),
  }
}

/** Returns an address without query and fragment, as the base of paths. */
export function toBase(url: URL): URL {
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`
  return new URL(path, url.origin)
}
