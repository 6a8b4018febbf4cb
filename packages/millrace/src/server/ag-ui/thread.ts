import type { AgUiEvent, AgUiWaiting } from '../../protocols/index.ts'
import type { PendingCall, PendingCalls } from '../../agent/port/index.ts'
import { toRequestFields } from '../../exit/index.ts'
import { isJsonObject, type JsonObject } from '../../json/index.ts'
import type { ChatPromptOptions } from '../ai-sdk/chat-prompt.ts'
import type { Action } from '../handler-options.ts'
import { checkAccess, type ServerContext } from '../server-context.ts'
import { viewPending } from '../views/viewed-answers.ts'
import { questionIn, type RunInput } from './run-input.ts'
import { isSameHistory, readHistory, toSnapshots } from './thread-history.ts'

/** A request to a thread. */
export interface Thread {
  readonly context: ServerContext
  readonly request: Request
  readonly session: string
  readonly input: RunInput
  /** Throws unless the request may do this; each action is asked about once. */
  readonly check: (action: Action) => Promise<void>
}

/** Opens a thread for a request. */
export function openThread(thread: Omit<Thread, 'check'>): Thread {
  const { context, request, session } = thread
  const checks = new Map<Action, Promise<void>>()
  const check = (action: Action): Promise<void> => {
    const known = checks.get(action) ?? checkAccess(context, request, action, session)
    checks.set(action, known)
    return known
  }
  return { ...thread, check }
}

/** Where the files of a thread's messages may be, and how large. */
export function toPromptOptions({ context, session }: Thread): ChatPromptOptions {
  const { store, limits } = context
  return { store, session, limits }
}

/**
 * What is said right after `RUN_STARTED`: the client's own state with what the server knows under one key, and all
 * messages before this run if the client's copy says something else; `kept` are those that are not part of it yet.
 */
export async function toOpening(
  thread: Thread,
  before: number | undefined,
  kept: readonly JsonObject[] = [],
): Promise<readonly AgUiEvent[]> {
  const { context, request, session, input } = thread
  const asked = questionIn(input)
  const question = asked === undefined ? [] : [asked]
  const copy = input.messages.slice(0, input.messages.length - question.length)
  const history = await readHistory(context, request, session, before)
  const isSame = isSameHistory(copy, history)
  const all = [...history.messages, ...(history.showsResults ? kept : []), ...question]
  return [...toState(thread), ...(isSame ? [] : toSnapshots(all))]
}

/** The client's state, with what the server knows of the thread; nothing if the client has none. */
export function toState({ session, input: { state } }: Thread): readonly AgUiEvent[] {
  if (!isJsonObject(state)) return []
  const snapshot: JsonObject = { ...state, millrace: { session } }
  return [{ type: 'STATE_SNAPSHOT', snapshot }]
}

/** What a thread waits for, as whoever asks may see it. */
export async function toWaiting(
  { context, request, session }: Thread,
  pending: PendingCalls,
): Promise<AgUiWaiting> {
  const { calls, approvals } = viewPending(pending, await context.viewOf(request, session))
  return { results: calls.map(toWaitingCall), approvals: approvals.map(toWaitingCall) }
}

function toWaitingCall(call: PendingCall): AgUiWaiting['results'][number] {
  const { id, name, inputText, agent } = call
  return { callId: id, name, input: parse(inputText), agent, request: toRequestFields(call) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
