import { decodeCursor } from '../requests/cursor.ts'
import { checkAccess } from '../access/check-access.ts'
import type { ServerContext } from '../server-context.ts'
import { doctorQuery } from '../requests/request-queries.ts'
import { createPacedReader } from '../reading/paced-reader.ts'
import { defineRoute } from './route.ts'

/** Headers of a client that a proxy may remove. */
const sentHeaders = ['accept', 'accept-encoding', 'authorization', 'last-event-id', 'origin']

/** Headers that proxies add. Only their names are reported, since their values reveal the client's address. */
const forwardingHeaders = [
  'cdn-loop',
  'cf-ray',
  'fly-request-id',
  'forwarded',
  'via',
  'x-amz-cf-id',
  'x-amzn-trace-id',
  'x-cloud-trace-context',
  'x-envoy-external-address',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-real-ip',
  'x-vercel-id',
]

/** Sends frames at a steady pace, with which `millrace doctor` measures the path to the server. */
export const doctorRoute = defineRoute({
  method: 'GET',
  path: '/doctor/stream',
  summary: 'Sends numbered frames at a steady pace, to measure the effect of proxies on a stream.',
  query: doctorQuery,
  headers: {
    'Last-Event-ID': 'The id of the last frame that was read; takes precedence over `cursor`.',
  },
  answer: {
    description:
      'An event stream: `request` lists the headers that arrived, then each frame has its send time; it ends with `[DONE]`.',
    content: 'stream',
  },
  errors: ['bad_request', 'cursor_malformed', 'unsupported', 'overloaded'],
  handle: async (context, { request, query }) => {
    const { quotaKey } = await checkAccess(context, request, 'health', undefined)
    const { readers, heartbeatMs, now } = context
    const { after } = decodeCursor(request.headers.get('last-event-id') ?? undefined, query.cursor)
    const open = () =>
      createPacedReader({
        frames: query.frames,
        intervalMs: query.interval_ms,
        idleMs: query.idle_ms,
        heartbeatMs: query.heartbeat_ms ?? heartbeatMs,
        padBytes: query.pad_bytes,
        after,
        greeting: toGreeting(context, request, after),
        completion: readers.endless,
        now,
      })
    return readers.respondWith(request, open, quotaKey)
  },
})

function toGreeting(
  { heartbeatMs, version, now }: ServerContext,
  request: Request,
  after: number,
): object {
  const present = (names: readonly string[]) => names.filter((name) => request.headers.has(name))
  return {
    after,
    headers: present(sentHeaders),
    forwarded: present(forwardingHeaders),
    heartbeat_ms: heartbeatMs,
    time_ms: now(),
    ...(version !== undefined && { version }),
  }
}
