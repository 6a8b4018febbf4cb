import type { JsonObject } from '../../json/index.ts'
import { type AgUiEvent, toAgUiEvent, toMetadata, wordsOf } from './ag-ui-run.ts'

/** A task of a sub-agent. */
interface Invocation {
  /** Unique in the thread, even if the same agent gets another task. */
  readonly id: string
  readonly agent: string
  readonly info: JsonObject
  failure?: JsonObject
  /** The AG-UI run that announced it last. */
  run: number
  isOpen: boolean
  /** Whether it has ended, not only paused. */
  isDone: boolean
}

/** End of a sub-agent in a part of a run. */
export type SubagentEnd = 'done' | 'suspended' | 'lost'

/** Sub-agents of a thread. Each AG-UI run announces a sub-agent once, before its first event, and closes it before the run's end. */
export class Subagents {
  readonly #push: (event: AgUiEvent) => void
  readonly #known = new Map<string, Invocation>()
  #run = 0

  constructor(push: (event: AgUiEvent) => void) {
    this.#push = push
  }

  /** Starts another AG-UI run, without announced agents. */
  startRun(): void {
    this.#run++
  }

  /** Removes ended sub-agents at a new prompt. They have no further events. */
  forgetDone(): void {
    for (const [agent, { isDone }] of this.#known) if (isDone) this.#known.delete(agent)
  }

  /** Starts a task of an agent; `at` is its log position. */
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

  /** Returns the tag of an agent, after announcing it if necessary. */
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

  /** Lists the announced agents that are not closed, the latest first. */
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
