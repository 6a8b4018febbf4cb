import type { LogFormat } from '../../protocols/port/index.ts'
import type { ErrorCode } from '../../errors/index.ts'
import type { MessageKey } from '../commands/receipts.ts'
import type { ServerContext } from '../server-context.ts'
import type { LogRange } from '../runs/run-services.ts'
import type { RouteAnswer } from './route.ts'

/** The response of routes with a stream. */
export const streamAnswer: RouteAnswer = {
  description: 'An event stream of frames, which ends with `[DONE]`; see PROTOCOL.md.',
  content: 'stream',
}

/** The errors of routes with a stream. */
export const streamErrors: readonly ErrorCode[] = [
  'bad_request',
  'unsupported',
  'too_many_requests',
  'overloaded',
  'log_replaced',
  'log_truncated',
  'store_unavailable',
]

/** Responds with the stream of a run that is started or resumed. */
export async function streamRun(
  context: ServerContext,
  request: Request,
  session: string,
  start: () => Promise<LogRange>,
  format: LogFormat | undefined,
): Promise<Response> {
  const { quotaKey } = await context.identify(request)
  const open = () => startRun(context, quotaKey, session, start)
  return context.readers.respond(request, open, { quotaKey, format })
}

/** Whether a client prefers not to wait for the outcome. */
export function prefersAsync({ headers }: Request): boolean {
  return /(^|[\s,;])respond-async($|[\s,;])/i.test(headers.get('prefer') ?? '')
}

/** Starts a run, and responds with the state of its prompt once that is stored. [CMD-4] */
export async function acceptRun(
  context: ServerContext,
  request: Request,
  session: string,
  { ask, key }: { readonly ask: () => Promise<LogRange>; readonly key: MessageKey | undefined },
): Promise<Response> {
  const { quotaKey } = await context.identify(request)
  const { queued, state: known = 'running' } = await startRun(context, quotaKey, session, ask)
  const messageId = queued?.messageId ?? key?.messageId ?? null
  const state = queued === undefined ? known : 'queued'
  return Response.json({ agent_uuid: session, message_id: messageId, state }, { status: 202 })
}

/** Starts a run, which counts for its user until it is over. An active run is already counted. */
async function startRun(
  { runs, runQuota }: ServerContext,
  quotaKey: string | undefined,
  session: string,
  start: () => Promise<LogRange>,
): Promise<LogRange> {
  const active = runs.active(session)
  if (active !== undefined && !active.isEnding()) return start()
  // A run that follows an ending one may need the quota that the first one holds.
  await active?.over
  const release = runQuota.acquire(quotaKey)
  try {
    const range = await start()
    const run = runs.active(session)
    if (run === undefined) release()
    else void run.over.then(release)
    return range
  } catch (error) {
    release()
    throw error
  }
}
