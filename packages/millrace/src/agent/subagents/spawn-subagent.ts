import {
  type AnnouncedCall,
  isPauseReason,
  toFinalAnswer,
  type WorkSpan,
} from '../../events/index.ts'
import { errorAnswer, textAnswer, type ToolAnswer } from '../../tools/index.ts'
import { type AgentState, messagesOfRun, withChild } from '../state/index.ts'
import type { RunInput, Subagent } from '../agent.ts'
import { closeChild } from './close-agent.ts'
import {
  type CallWork,
  type CallUpdate,
  toAnswered,
  toStatus,
  type WaitReason,
} from '../calls/call-update.ts'
import { withEdit } from '../calls/edited-call.ts'
import { nextChildId, toSubagentTask } from './subagent-task.ts'
import type { Run } from '../run.ts'
import { SPAWN_SUBAGENT } from './spawn-schema.ts'
import { currentSpan } from '../loop/step-span.ts'

const INTERRUPTED = 'The agent was interrupted before this call was answered.'

/** Checks whether a call is valid, so that a user can decide on it. */
export function canSpawn(run: Run, call: AnnouncedCall): boolean {
  const task = toSubagentTask(run, call)
  return task === 'waits' || !('problem' in task)
}

/** Runs a sub-agent for a call; its events become part of the run, its state part of the state. */
export async function* spawnSubagent(
  run: Run,
  call: AnnouncedCall,
  { waits, edit }: { readonly waits: Map<string, WaitReason>; readonly edit: string | undefined },
): CallWork {
  const task = toSubagentTask(run, call)
  if (task === 'waits') return void waits.set(call.id, 'agent')
  if ('problem' in task) {
    if (task.left !== undefined) yield* endChild(call, task.left)
    return yield* toAnswered(run, call, errorAnswer(task.problem))
  }
  const { agent } = task
  const child = 'ended' in task ? task.ended : yield* runChild(run, call, task)
  if (child?.ended !== undefined && isPauseReason(child.ended))
    return void waits.set(call.id, 'agent')
  yield* toAnswered(run, call, withEdit(toChildAnswer(agent, child), edit))
}

interface ChildRun {
  readonly agent: Subagent
  readonly childId?: string
  readonly input: RunInput
}

/** Runs a sub-agent and returns the state in which it ended or paused; undefined if it never started. */
async function* runChild(
  run: Run,
  call: AnnouncedCall,
  { agent, childId = nextChildId(run), input }: ChildRun,
): AsyncGenerator<CallUpdate, AgentState | undefined, undefined> {
  const { id: callId, inputText } = call
  const span = currentSpan(run).start('tool', { name: SPAWN_SUBAGENT, callId, inputText })
  run.atWork.add(childId)
  if (typeof input.stop === 'string') run.stopping.delete(input.stop)
  try {
    if (input.prompt !== undefined) yield toStatus(run, call, 'started')
    const child = yield* followChild(run, call, agent, {
      input: { agent: childId, ...input },
      span,
    })
    span.end(child?.ended === undefined ? {} : { stopReason: child.ended })
    return child
  } finally {
    run.atWork.delete(childId)
    span.end()
  }
}

/** Passes on the events of a sub-agent; closes one that was interrupted, so that none of its calls stays open. */
async function* followChild(
  run: Run,
  call: AnnouncedCall,
  agent: Subagent,
  { input, span }: { readonly input: RunInput; readonly span: WorkSpan },
): AsyncGenerator<CallUpdate, AgentState | undefined, undefined> {
  const { signal, control, permit, callIds, settings, approvalTtlMs, now, context } = run
  const ties = { signal, control, permit, callIds, span, now }
  let last = input.prompt === undefined ? input.state : undefined
  let isHeld = false
  let hasEnded = false
  try {
    for await (const item of agent.run(input, {
      ...ties,
      ...(approvalTtlMs !== undefined && { approvalTtlMs }),
      ...(context !== undefined && { context }),
    })) {
      if (item.type === 'checkpoint') {
        last = item.state
        isHeld = true
        continue
      }
      if (item.type === 'run_end' && item.agent === last?.agent) {
        last = { ...last, ended: item.stopReason }
        isHeld = true
        hasEnded = true
      }
      yield isHeld ? withState(call, last, { event: item }) : { event: item }
      isHeld = false
    }
  } catch (error) {
    settings.onError(error)
  }
  return hasEnded || last === undefined ? last : yield* endChild(call, last)
}

/** Closes an interrupted sub-agent. */
function* endChild(
  call: AnnouncedCall,
  child: AgentState,
): Generator<CallUpdate, AgentState, undefined> {
  const { state, events } = closeChild(child, INTERRUPTED)
  for (const event of events) yield withState(call, state, { event })
  return state
}

/** Stores a sub-agent's state with its event. */
function withState(
  call: AnnouncedCall,
  child: AgentState | undefined,
  update: CallUpdate,
): CallUpdate {
  return child === undefined
    ? update
    : { ...update, change: (state) => withSpawned(state, call, child) }
}

function withSpawned(state: AgentState, call: AnnouncedCall, child: AgentState): AgentState {
  const { turn, children = {} } = state
  if (turn === undefined || turn.spawned?.[call.id] === child.agent) return withChild(state, child)
  const spawned = { ...turn.spawned, [call.id]: child.agent }
  // The most recently used are dropped last.
  const { [child.agent]: _, ...others } = children
  return withChild({ ...state, children: others, turn: { ...turn, spawned } }, child)
}

/** Creates the result for the parent's model. A failed or stopped sub-agent fails its call, not the parent. */
function toChildAnswer({ name }: Subagent, child: AgentState | undefined): ToolAnswer {
  if (child?.ended === undefined)
    return errorAnswer(`The agent "${name}" was interrupted before it answered.`)
  const { agent, ended, steps } = child
  const text = [
    `Answer of the agent "${name}":`,
    `Agent UUID: ${agent}`,
    // It may have ended in another process; only its state is left.
    toFinalAnswer(messagesOfRun(child)) || '(it said nothing)',
    `[stop_reason=${ended}, steps=${steps}]`,
  ].join('\n')
  return ended === 'error' || ended === 'aborted' ? errorAnswer(text) : textAnswer(text)
}
