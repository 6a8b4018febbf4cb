import type { LogEntry, SessionInfo } from '../../stores/port/index.ts'
import { type CurrentSession, readAfterAnswer } from '../sessions/current-session.ts'
import { hasAt } from '../feeds/line-head.ts'
import { scanBackwards } from '../reading/scan-backwards.ts'
import { endOf } from '../sessions/find-session.ts'
import { completedAt } from '../reading/completion.ts'
import type { ServerContext } from '../server-context.ts'
import { checkCursor, type Cursor } from '../requests/cursor.ts'
import type { LogRange } from '../runs/run-services.ts'
import { rootAgentOf, type StoredAnswer } from '../sessions/session-record.ts'
import { digestOf } from '../requests/message-key.ts'
import type { FoundPrompt } from '../runs/runs.ts'
import type { RunInput } from './run-input.ts'
import { findTaken } from './thread-answers.ts'

const encoder = new TextEncoder()

/** The key of a request in the inbox of its session. */
export async function toRequestKey({ runId }: Pick<RunInput, 'runId'>): Promise<string> {
  return `ag-ui:${await digestOf(runId)}`
}

/** The key of a question in the inbox of its session: its message, by id and content, whichever request asks it. */
export function toQuestionKey(digest: string): string {
  return `ag-ui-message:${digest}`
}

/** What the request that has asked under this id before has led to. */
export async function findRequest(
  { runs }: ServerContext,
  { info }: CurrentSession,
  input: RunInput,
): Promise<FoundPrompt | undefined> {
  return runs.find(info, await toRequestKey(input))
}

/** A request of a client that comes back, the run that it has begun, and the answers that its session remembers. */
interface KnownRequest {
  readonly input: RunInput
  readonly request: FoundPrompt | undefined
  readonly answers: readonly StoredAnswer[]
}

/**
 * Goes on after what a client has read of a run, to the end of that run: it is known by its id or by what was
 * answered, else it is the one under way.
 */
export function readRest(
  context: ServerContext,
  state: CurrentSession,
  { input, request, answers }: KnownRequest,
  cursor: Cursor,
): LogRange {
  const { session, log } = state.info
  checkCursor(cursor, state.info)
  const answer = request === undefined ? findTaken(input, answers) : undefined
  const { completion } =
    request !== undefined
      ? request.range
      : answer !== undefined
        ? readAfterAnswer(context, state, answer)
        : { completion: completionOf(context, state) }
  return { session, ...cursor, log, ...endOf(state), completion }
}

/** Reads the part of a run that is under way, from its first message; undefined if none is. */
export async function readActivePart(
  context: ServerContext,
  state: CurrentSession,
): Promise<LogRange | undefined> {
  const { info, run } = state
  const { session, log, tail } = info
  if (run !== undefined)
    return { session, log, after: run.firstId - 1, ...endOf(state), completion: run }
  if (!context.runs.isCarriedOn(info)) return undefined
  const root = rootAgentOf(session, state.head)
  const ending = encoder.encode(`{"type":"meta_end","agent":${JSON.stringify(root)},`)
  const isEnd = ({ line }: LogEntry): boolean => hasAt(line, ending, 0)
  const after = await scanBackwards(context.store, session, tail, isEnd)
  return { session, log, after, ...endOf(state), completion: context.runs.remote(info) }
}

/** Reads nothing: what there is to say stands beside the log. */
export function readNothing(session: string, { tail, log }: Pick<SessionInfo, 'tail' | 'log'>) {
  return { session, log, after: tail, tail, completion: completedAt(tail) }
}

/** Until when a client reads: to the end of the run under way, or what there is. */
function completionOf(
  { runs }: ServerContext,
  { info, run }: CurrentSession,
): LogRange['completion'] {
  if (run !== undefined) return run
  return runs.isCarriedOn(info) ? runs.remote(info) : completedAt(info.tail)
}
