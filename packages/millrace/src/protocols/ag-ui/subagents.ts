import type { JsonObject } from '../../json/index.ts'
import { type AgUiEvent, toAgUiEvent, toMetadata, wordsOf } from './ag-ui-event.ts'

/** One task that was handed to a sub-agent. */
interface Invocation {
  /** Unlike any other in the thread, also when the same agent is asked again. */
  readonly id: string
  readonly agent: string
  readonly info: JsonObject
  failure?: JsonObject
  /** The AG-UI run in which it was announced last. */
  run: number
  isOpen: boolean
  /** It has come to its end, not only to a pause. */
  isDone: boolean
}

/** How a sub-agent's part of a run ended. */
export type SubagentEnd = 'done' | 'suspended' | 'lost'

/** The sub-agents of a thread: announced before they speak, once in each AG-UI run, and closed before its end. */
export class Subagents {
  readonly #push: (event: AgUiEvent) => void
  readonly #known = new Map<string, Invocation>()
  #run = 0

  constructor(push: (event: AgUiEvent) => void) {
    this.#push = push
  }

  /** Another AG-UI run begins, in which nobody has been announced. */
  startRun(): void {
    this.#run++
  }

  /** A new question: who is done is not heard of again. */
  forgetDone(): void {
    for (const [agent, { isDone }] of this.#known) if (isDone) this.#known.delete(agent)
  }

  /** A task is handed to an agent; `at` is where in the log. */
  begin(agent: string, info: JsonObject, at: number): void {
    this.end(agent, 'lost')
    this.#known.set(agent, {
      id: `s${at}`,
      agent,
      info,
      run: 0,
      isOpen: false,
      isDone: false,
    })
    this.enter(agent, at)
  }

  tagOf(agent: string): string | undefined {
    return this.#known.get(agent)?.id
  }

  /** The tag under which an agent speaks; it is announced if it was not yet. */
  enter(agent: string, at: number): string {
    if (!this.#known.has(agent)) this.begin(agent, {}, at)
    const invocation = this.#known.get(agent)
    if (invocation !== undefined) this.#announce(invocation, new Set())
    return invocation?.id ?? ''
  }

  fail(agent: string, failure: JsonObject): void {
    const invocation = this.#known.get(agent)
    if (invocation !== undefined) invocation.failure = failure
  }

  end(agent: string, end: SubagentEnd, info: JsonObject = {}, interruptIds: string[] = []): void {
    const invocation = this.#known.get(agent)
    if (invocation === undefined) return
    invocation.isDone ||= end !== 'suspended'
    if (!invocation.isOpen) return
    invocation.isOpen = false
    this.#push(toEndEvent(invocation, { end, info, interruptIds }))
  }

  /** The agents that are announced and not closed, those announced last first. */
  open(): readonly string[] {
    return [...this.#known.values()]
      .filter(({ isOpen }) => isOpen)
      .map(({ agent }) => agent)
      .reverse()
  }

  #announce(invocation: Invocation, entered: Set<string>): void {
    if (invocation.run === this.#run || invocation.isDone) return
    const { id, agent, info } = invocation
    entered.add(agent)
    const parentAgent = wordsOf(info['parent_agent_uuid']) ?? ''
    const parent = entered.has(parentAgent) ? undefined : this.#known.get(parentAgent)
    if (parent !== undefined) this.#announce(parent, entered)
    invocation.run = this.#run
    invocation.isOpen = true
    this.#push(
      toAgUiEvent('SUBAGENT_STARTED', {
        subagentRunId: id,
        name: wordsOf(info['name']) ?? 'sub-agent',
        description: wordsOf(info['user_query']),
        parentSubagentRunId: parent?.run === this.#run ? parent.id : undefined,
        parentToolCallId: wordsOf(info['parent_tool_use_id']),
        metadata: toMetadata({ agent, model: wordsOf(info['model']) }),
      }),
    )
  }
}

interface EndOfInvocation {
  readonly end: SubagentEnd
  readonly info: JsonObject
  readonly interruptIds: readonly string[]
}

function toEndEvent(
  { id: subagentRunId, failure }: Invocation,
  { end, info, interruptIds }: EndOfInvocation,
): AgUiEvent {
  const { stop_reason: stopReason, total_steps: totalSteps, usage, cost } = info
  const metadata = toMetadata({ stopReason, totalSteps, usage, cost: cost ?? undefined })
  if (end === 'suspended') {
    const ids = interruptIds.length > 0 ? { interruptIds } : {}
    const outcome = { type: 'suspended', ...ids }
    return toAgUiEvent('SUBAGENT_FINISHED', { subagentRunId, outcome, metadata })
  }
  const fault = failure ?? (end === 'lost' ? LOST : stopReason === 'aborted' ? STOPPED : undefined)
  if (fault === undefined) {
    const outcome = { type: 'success' }
    return toAgUiEvent('SUBAGENT_FINISHED', { subagentRunId, outcome, metadata })
  }
  const message = wordsOf(fault['message']) ?? 'The sub-agent failed.'
  const code = wordsOf(fault['code']) ?? wordsOf(fault['type'])
  const { type: errorType, retriable } = fault
  const more = toMetadata({ ...metadata, errorType, retriable })
  return toAgUiEvent('SUBAGENT_ERROR', { subagentRunId, message, code, metadata: more })
}

const LOST: JsonObject = { message: 'The sub-agent ended with its run.', code: 'interrupted' }
const STOPPED: JsonObject = { message: 'The sub-agent was stopped.', code: 'aborted' }
