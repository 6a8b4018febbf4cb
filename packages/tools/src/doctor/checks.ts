import { answerHeaders, requestHeaders } from './checks/headers.ts'
import { buffering } from './checks/buffering.ts'
import { httpVersion } from './checks/http-version.ts'
import { idle } from './checks/idle.ts'
import type { Check } from './examination.ts'
import { note, ok, problem, toTime } from './finding.ts'
import { toServerError } from './refusal.ts'
import { type Reply, describeReply } from './reply.ts'
import type { Probe } from './probe.ts'

/** Checks whether a cut stream resumes at the same position. */
const resume: Check = {
  title: 'Resume',
  run: async ({ resumed }) => {
    const { byHeader, byAddress } = await resumed()
    const first = ({ frames }: Probe): number => frames[0]?.id ?? 0
    const [header, address] = [first(byHeader), first(byAddress)]
    if (header === 3 && address === 3)
      return ok('Cut after frame 2, it resumed with 3, by Last-Event-ID and by ?cursor=')
    const seen = (id: number): string => (id === 0 ? 'with nothing' : `with frame ${id}`)
    return problem(
      `Cut after frame 2, it resumed ${seen(header)} by Last-Event-ID, ${seen(address)} by ?cursor=; 3 was expected`,
      address === 3
        ? 'An EventSource and other clients that resume by the header receive everything twice; Millrace’s own client resumes by the URL and is not affected.'
        : 'Clients that reconnect receive frames twice or not at all: a proxy responds instead of the server, or removes the query.',
      'requestHeaders',
    )
  },
}

/** Checks whether the comments that keep an idle stream alive arrive. */
const heartbeats: Check = {
  title: 'Heartbeats',
  run: async ({ lively, livelyHeartbeatMs: everyMs, idleMs }) => {
    const { commentsMs, frames, end } = await lively()
    const every = toTime(everyMs)
    // Another check reports the cut.
    if (end !== 'done') {
      return commentsMs.length === 0
        ? undefined
        : ok(`One arrived every ${every}, until the stream was cut`)
    }
    const sent = Math.ceil(idleMs / everyMs) - 1
    if (commentsMs.length === 0) {
      return problem(
        `None of ${sent} arrived`,
        'A proxy removes comments from the stream: other proxies and clients then treat an idle stream as dead.',
        'idle',
      )
    }
    const lastFrameMs = frames.at(-1)?.arrivedMs ?? 0
    const inTime = commentsMs.filter((atMs) => atMs <= lastFrameMs - everyMs / 2).length
    if (inTime > 0) return ok(`${commentsMs.length} of ${sent} arrived, one every ${every}`)
    return problem(
      `${commentsMs.length} of ${sent} arrived, all of them with the next frame`,
      'They are held back like all other data, so clients see a silent stream and disconnect.',
      'buffering',
    )
  },
}

const health: Check = {
  title: 'Health',
  run: async ({ ask }) => {
    const reply = await ask('health')
    const status = reply.json?.['status']
    if (status === 'healthy') return ok('The server and its store are healthy')
    return status === 'unhealthy'
      ? problem(
          'The store of the server is unavailable',
          'Requests fail until it is available again: see the log of the server.',
        )
      : note(
          `GET /health returned ${describeReply(reply)}`,
          'Load balancers cannot see whether the server is healthy.',
          'paths',
        )
  },
}

const needed = ['authorization', 'content-type', 'last-event-id']

/** Checks whether pages of another site can use the server. */
const cors: Check = {
  title: 'Other sites',
  run: async ({ origin, ask }) => {
    if (origin === undefined) return undefined
    const [preflight, plain] = await Promise.all([
      ask('agent/run', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': needed.join(', '),
        },
      }),
      ask('health', { headers: { origin } }),
    ])
    const why = `Browsers hide the responses from pages of ${origin}.`
    if (toServerError(preflight.text) !== undefined) {
      return problem(`The server does not allow pages of ${origin}`, why, 'allowOrigin')
    }
    const fault = faultOf(preflight, plain, origin)
    return fault === undefined
      ? ok(`Pages of ${origin} can send requests with a token, and read the responses`)
      : problem(fault, why, 'cors')
  },
}

function faultOf(preflight: Reply, plain: Reply, origin: string): string | undefined {
  const { status, headers } = preflight
  if (status < 200 || status > 299) return `The preflight (OPTIONS) returned ${status}`
  const allowed = (headers['access-control-allow-headers'] ?? '').toLowerCase()
  const missing = needed.filter((name) => !allowed.includes(name))
  return (
    originFault('preflight', preflight, origin) ??
    (missing.length > 0 ? `The preflight does not allow ${missing.join(', ')}` : undefined) ??
    originFault('response', plain, origin)
  )
}

function originFault(what: string, { headers }: Reply, origin: string): string | undefined {
  const value = headers['access-control-allow-origin']
  if (value === origin || value === '*') return undefined
  if (value === undefined) return `The ${what} has no access-control-allow-origin`
  return `The ${what} allows ${value}, not just ${origin}`
}

/** Checks whether streams are compressed for clients that accept that, as all browsers do. */
export const compression: Check = {
  title: 'Compression',
  run: async ({ probe, judge, frames, intervalMs }) => {
    const headers = { 'accept-encoding': 'gzip, deflate, br' }
    const probed = await probe({ frames, intervalMs, headers })
    const encoding = probed.headers['content-encoding'] ?? 'identity'
    if (encoding === 'identity')
      return ok('The stream is not compressed, though gzip and br were offered')
    if (probed.end !== 'done') {
      return problem(
        `The stream is compressed with ${encoding}, and ${probed.frames.length} of ${frames} frames could be read`,
        'The stream is damaged or cut for clients that accept compression, as all browsers do.',
        'compression',
      )
    }
    const { isHeld, worstLagMs } = judge(probed)
    return isHeld
      ? problem(
          `The stream is compressed with ${encoding}, and frames arrived up to ${toTime(worstLagMs)} late`,
          'The compressor waits until a block is full: text arrives in groups in browsers, while tools that do not accept compression are not affected.',
          'compression',
        )
      : note(
          `The stream is compressed with ${encoding}, and frames arrived in time`,
          'The server sends `no-transform`: a proxy that ignores it may hold back smaller or less frequent frames.',
          'compression',
        )
  },
}

/** Smaller differences between clocks do no harm. */
const toleranceMs = 2_000

/** Compares the clock of the server with that of this machine. */
const clock: Check = {
  title: 'Clock',
  run: async ({ greeted, greeting }) => {
    // The server read its clock between the request and the arrival of the response.
    const halfMs = greeting.arrivedMs / 2
    const offsetMs = greeting.timeMs - (greeted.startedAtMs + halfMs)
    const about = `${toTime(Math.abs(offsetMs))} ${offsetMs < 0 ? 'behind' : 'ahead of'} this one (± ${toTime(halfMs)})`
    if (Math.abs(offsetMs) - halfMs <= toleranceMs) {
      return ok(`The server’s clock agrees with this one to ${toTime(Math.abs(offsetMs) + halfMs)}`)
    }
    return note(
      `The server’s clock is ${about}`,
      'Displayed times, and the expiry of claims, are off by that; no data is lost. Synchronise both machines with a time server.',
    )
  },
}

/** The checks of an open stream, in the order of the report. */
export const checks: Readonly<Record<string, Check>> = {
  buffering,
  compression,
  idle,
  heartbeats,
  request_headers: requestHeaders,
  answer_headers: answerHeaders,
  resume,
  http_version: httpVersion,
  clock,
  cors,
  health,
}

/** Titles of the earlier checks, without which there is nothing to examine. */
const firstTitles: Readonly<Record<string, string>> = { reach: 'Server', access: 'Streams' }

/** Returns the title of a check for people. */
export function titleOf(check: string): string {
  return firstTitles[check] ?? checks[check]?.title ?? check
}
