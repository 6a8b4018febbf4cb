import type { Dialect } from '../../dialects/index.ts'
import type { ErrorCode } from '../../errors/index.ts'
import type { House } from '../house.ts'
import type { Reading } from '../run-context.ts'
import type { RouteAnswer } from './route.ts'

/** What routes with a stream give. */
export const streamAnswer: RouteAnswer = {
  description: 'An event stream of messages, which ends with `[DONE]`; see PROTOCOL.md.',
  content: 'stream',
}

/** What routes with a stream may refuse. */
export const streamErrors: readonly ErrorCode[] = [
  'bad_request',
  'unsupported',
  'too_many_requests',
  'overloaded',
  'log_replaced',
  'log_truncated',
  'store_unavailable',
]

/**
 * Answers with the stream of a run that is started or goes on. The run counts as that of whoever asked, until it is
 * over; one that is under way already has been counted.
 */
export async function streamRun(
  house: House,
  request: Request,
  session: string,
  start: () => Promise<Reading>,
  dialect: Dialect | undefined,
): Promise<Response> {
  const { runs, readers, ownRuns } = house
  const principal = await house.principal(request)
  const open = async (): Promise<Reading> => {
    const active = runs.active(session)
    if (active !== undefined && !active.isEnding()) return start()
    // What follows a run that is ending is another one, whose place may be that of the first.
    await active?.over
    const leave = ownRuns.take(principal)
    try {
      const reading = await start()
      const run = runs.active(session)
      if (run === undefined) leave()
      else void run.over.then(leave)
      return reading
    } catch (error) {
      leave()
      throw error
    }
  }
  return readers.respond(request, open, { principal, dialect })
}
