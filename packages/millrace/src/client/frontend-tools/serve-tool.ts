import { MillraceError } from '../../errors/index.ts'
import type { PendingTool } from '../transcript/index.ts'
import { claimCall } from './claim-call.ts'
import { answerCall } from '../commands/control-run.ts'
import type { Session } from '../session.ts'
import { onAbort, sleep } from '../../streams/index.ts'
import type { JsonValue, SchemaResult } from '../../json/index.ts'

/** Calls of each session that a tool of this page has taken. */
const taken = new WeakMap<Session, Set<string>>()

/**
 * Serves a tool: whenever a call of it is pending for the browser, claims the call, runs the function and sends the result. Of several
 * tabs, one runs a call; if it dies, another takes over. Returns a function that stops serving.
 */
export function serveTool<Input = unknown>(session: Session, tool: PageTool<Input>): () => void {
  const mine = new Map<string, AbortController>()
  const all = taken.get(session) ?? new Set()
  taken.set(session, all)

  const drop = (callId: string): void => {
    mine.get(callId)?.abort()
    mine.delete(callId)
    all.delete(callId)
  }
  const look = (): void => {
    const { transcript, answers, connection } = session.getSnapshot()
    const calls = transcript.pending.filter(
      ({ name, approval }) => name === tool.name && !approval && connection.state !== 'closed',
    )
    for (const call of calls) {
      const { callId } = call
      if (all.has(callId) || answers[callId]) continue
      const controller = new AbortController()
      all.add(callId)
      mine.set(callId, controller)
      void serveCall(session, tool, call, controller.signal)
    }
    for (const id of mine.keys()) if (!calls.some(({ callId }) => callId === id)) drop(id)
  }

  const unsubscribe = session.subscribe(look)
  look()
  return () => {
    unsubscribe()
    for (const id of mine.keys()) drop(id)
  }
}

async function serveCall<Input>(
  session: Session,
  tool: PageTool<Input>,
  call: PendingTool,
  signal: AbortSignal,
): Promise<void> {
  const { callId } = call
  const claim = () =>
    claimCall(session, callId).catch((error: unknown) => {
      // Another tab answered it, which an idle session has not read yet.
      const isGone = error instanceof MillraceError && error.code === 'not_found'
      if (isGone) void session.watch()
      return { claimed: false, expiresAt: isGone ? Infinity : 0 }
    })
  let { claimed, expiresAt } = await claim()
  while (!claimed && !signal.aborted) {
    await sleep(upTo(30_000, expiresAt - Date.now()), signal)
    if (!signal.aborted) ({ claimed, expiresAt } = await claim())
  }
  if (signal.aborted) return
  // The server's clock may differ, so a claim is renewed at least every ten seconds.
  const renewMs = upTo(10_000, (expiresAt - Date.now()) / 3)
  const renewal = setInterval(() => void claim(), renewMs)
  // A function may ignore its signal. Others may then claim the call.
  onAbort(signal, () => clearInterval(renewal))
  const { content, isError } = await runCall(tool, call, signal)
  clearInterval(renewal)
  // The first answer counts, so it can be sent repeatedly until it arrives.
  while (!signal.aborted) {
    try {
      return await answerCall(session, callId, content, { isError })
    } catch (error) {
      if (!(error instanceof MillraceError) || error.code !== 'connection_lost') return
      await sleep(1_000, signal)
    }
  }
}

async function runCall<Input>(
  { input: schema, run }: PageTool<Input>,
  { callId, agent, input }: PendingTool,
  signal: AbortSignal,
): Promise<{ readonly content: string; readonly isError: boolean }> {
  try {
    const checked = schema ? await checkInput(schema, input) : (input as Input)
    const reply = await run(checked, { callId, agent, signal })
    const content = typeof reply === 'string' ? reply : JSON.stringify(reply ?? null)
    return { content, isError: false }
  } catch (error) {
    return { content: error instanceof Error ? error.message : String(error), isError: true }
  }
}

/** Limits a delay to at least a second and at most `mostMs`; NaN becomes a second. */
function upTo(mostMs: number, delayMs: number): number {
  return Math.min(Math.max(delayMs || 0, 1_000), mostMs)
}

/** A schema of any library that follows Standard Schema v1, reduced to the members that a page needs. */
export interface InputSchema<Input> {
  readonly '~standard': {
    readonly validate: (value: unknown) => SchemaResult<Input> | Promise<SchemaResult<Input>>
    readonly types?: { readonly input: unknown; readonly output: Input } | undefined
  }
}

/** Validates a value. Throws an error with the issues, so that the model can correct its arguments. */
async function checkInput<Input>(schema: InputSchema<Input>, value: unknown): Promise<Input> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  throw new TypeError(`Wrong arguments: ${result.issues.map(({ message }) => message).join('; ')}`)
}

/** Context of a tool's function: the call that it answers. */
export interface FrontendCall {
  readonly callId: string
  /** Id of the calling agent. */
  readonly agent: string
  /** Aborts when the call is no longer pending: it was answered elsewhere, the run was stopped, or the page stopped serving the tool. */
  readonly signal: AbortSignal
}

/** Result of a page's tool: text, or a value that is sent as JSON. */
export type ToolReply = JsonValue | undefined | void

/** A tool that this page runs. */
export interface PageTool<Input> {
  readonly name: string
  /** Any Standard Schema, such as the one of the server's tool. It types and validates the input. */
  readonly input?: InputSchema<Input>
  /** Returns the result for the model. A thrown error becomes a failed result. */
  readonly run: (input: Input, call: FrontendCall) => ToolReply | Promise<ToolReply>
}
