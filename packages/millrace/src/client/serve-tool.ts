import { isMillraceError } from '../errors/index.ts'
import type { PendingTool } from '../transcript/index.ts'
import { claimCall } from './claim-call.ts'
import { answerCall } from './control-run.ts'
import type { FrontendTool } from './frontend-tool.ts'
import { checkInput } from './input-schema.ts'
import type { Session } from './session.ts'
import { sleep } from './sleep.ts'

/** The calls of each session that a tool of this page has taken. */
const taken = new WeakMap<Session, Set<string>>()

/**
 * Runs a tool whenever a call of it waits for the browser: claims the call, runs the function, sends what it gives.
 * Of several tabs one runs a call; if it dies, another takes over. Returns how to let go of it.
 */
export function serveTool<Input = unknown>(
  session: Session,
  tool: FrontendTool<Input>,
): () => void {
  const mine = new Map<string, AbortController>()
  const others = taken.get(session) ?? new Set()
  taken.set(session, others)

  const drop = (toolUseId: string): void => {
    mine.get(toolUseId)?.abort()
    mine.delete(toolUseId)
    others.delete(toolUseId)
  }
  const look = (): void => {
    const { transcript, answers } = session.getSnapshot()
    const calls = transcript.pending.filter(({ name, approval }) => name === tool.name && !approval)
    for (const call of calls) {
      const { toolUseId } = call
      if (others.has(toolUseId) || answers[toolUseId]) continue
      const controller = new AbortController()
      others.add(toolUseId)
      mine.set(toolUseId, controller)
      void serveCall(session, tool, call, controller.signal)
    }
    for (const id of mine.keys()) if (!calls.some(({ toolUseId }) => toolUseId === id)) drop(id)
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
  tool: FrontendTool<Input>,
  call: PendingTool,
  signal: AbortSignal,
): Promise<void> {
  const { toolUseId } = call
  const claim = () => claimCall(session, toolUseId).catch(() => ({ claimed: false, expiresAt: 0 }))
  let { claimed, expiresAt } = await claim()
  while (!claimed && !signal.aborted) {
    await sleep(within(expiresAt - Date.now(), 1_000, 30_000), signal)
    ;({ claimed, expiresAt } = await claim())
  }
  if (signal.aborted) return
  // The server's clock may be another, so a claim is renewed every ten seconds at the latest.
  const renewMs = within((expiresAt - Date.now()) / 3, 1_000, 10_000)
  const renewal = setInterval(() => void claim(), renewMs)
  const { content, isError } = await runCall(tool, call, signal)
  clearInterval(renewal)
  // An answer counts once, so it may be sent until it has arrived.
  while (!signal.aborted) {
    try {
      return await answerCall(session, toolUseId, content, { isError })
    } catch (error) {
      if (!isMillraceError(error) || error.code !== 'connection_lost') return
      await sleep(1_000, signal)
    }
  }
}

async function runCall<Input>(
  { input: schema, run }: FrontendTool<Input>,
  { toolUseId, agent, input }: PendingTool,
  signal: AbortSignal,
): Promise<{ readonly content: string; readonly isError: boolean }> {
  try {
    const checked = schema ? await checkInput(schema, input) : (input as Input)
    const reply = await run(checked, { toolUseId, agent, signal })
    const content = typeof reply === 'string' ? reply : JSON.stringify(reply ?? null)
    return { content, isError: false }
  } catch (error) {
    return { content: error instanceof Error ? error.message : String(error), isError: true }
  }
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
