import {
  type AnnouncedCall,
  isFailureReason,
  isPauseReason,
  toFinalAnswer,
  type WorkSpan,
} from '../../events/index.ts'
import { errorAnswer, textAnswer, type ToolAnswer } from '../../tools/index.ts'
import { agentsIn, type AgentState, messagesOfRun, openCalls, withChild } from '../state/index.ts'
import type { RunInput, Subagent } from '../agent.ts'
import { closeChild, hasEnded } from './close-agent.ts'
import {
  type CallUpdate,
  type CallWork,
  toAnswered,
  toStatus,
  type WaitReason,
} from '../calls/call-update.ts'
import { withEdit } from '../calls/decide-call.ts'
import { currentSpan, type Run } from '../run.ts'
import { SPAWN_SUBAGENT } from './spawn-schema.ts'
import { parseJsonObject } from '../../json/index.ts'
import { canResume } from '../calls/answer-pause.ts'

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
  const options = { signal, control, permit, callIds, span, now }
  let last = input.prompt === undefined ? input.state : undefined
  let isHeld = false
  let isOver = false
  try {
    for await (const item of agent.run(input, {
      ...options,
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
        isOver = true
      }
      yield isHeld ? withState(call, last, { event: item }) : { event: item }
      isHeld = false
    }
  } catch (error) {
    settings.onError(error)
  }
  return isOver || last === undefined ? last : yield* endChild(call, last)
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
  return isFailureReason(ended) ? errorAnswer(text) : textAnswer(text)
}

/** Maximum depth of sub-agents, so that no two agents call each other forever. */
const MAX_DEPTH = 8

type SubagentTask =
  /** A sub-agent, its id unless it is new, and its input. */
  | { readonly agent: Subagent; readonly childId?: string; readonly input: RunInput }
  /** A sub-agent that has ended, and whose answer is missing. */
  | { readonly agent: Subagent; readonly ended: AgentState }
  /** A sub-agent that waits for answers. */
  | 'waits'
  /** An invalid task, and the sub-agent that was working on it, if any. */
  | { readonly problem: string; readonly left?: AgentState }

/** Returns the task of a call: an agent to continue, one to resume with a new task, or a new one. */
function toSubagentTask(run: Run, call: AnnouncedCall): SubagentTask {
  const { state } = run
  const begun = state.children?.[state.turn?.spawned?.[call.id] ?? '']
  return begun === undefined ? toNewTask(run, call) : toContinuation(run, begun)
}

function toNewTask({ settings, state, atWork }: Run, call: AnnouncedCall): SubagentTask {
  const asked = parseJsonObject(call.inputText) ?? {}
  const agent = settings.subagents.get(String(asked['agent_name']))
  const { task, resume_agent_uuid: uuid } = asked
  if (agent === undefined)
    return {
      problem: `\`agent_name\` must be one of: ${[...settings.subagents.keys()].join(', ')}.`,
    }
  if (typeof task !== 'string' || task.trim() === '')
    return { problem: '`task` must state the task of the agent.' }
  const depth = (state.parent?.depth ?? 0) + 1
  if (depth > MAX_DEPTH)
    return { problem: `Agents may call each other ${MAX_DEPTH} deep; do this task yourself.` }
  const parent = { agent: state.agent, toolUseId: call.id, runId: state.runId, depth }
  if (typeof uuid !== 'string' || uuid === '') return { agent, input: { prompt: task, parent } }
  const prior = Object.hasOwn(state.children ?? {}, uuid) ? state.children?.[uuid] : undefined
  if (prior === undefined || prior.name !== agent.name)
    return {
      problem: `No agent "${agent.name}" with the uuid ${uuid} is remembered here; leave \`resume_agent_uuid\` out to ask a new one.`,
    }
  if (atWork.has(uuid) || isAwaited(state, uuid))
    return {
      problem: `The agent ${uuid} is at work already; give it this task when it has answered.`,
    }
  return { agent, childId: uuid, input: { state: prior, prompt: task, parent } }
}

/** Checks whether an open call belongs to this sub-agent. */
function isAwaited({ turn }: AgentState, childId: string): boolean {
  return openCalls(turn).some(({ id }) => turn?.spawned?.[id] === childId)
}

function toContinuation({ settings, stopping }: Run, begun: AgentState): SubagentTask {
  const agent = settings.subagents.get(begun.name)
  if (agent === undefined)
    return {
      problem: `The agent "${begun.name}" is no longer offered; its work is lost.`,
      left: begun,
    }
  if (hasEnded(begun) && begun.unsent === undefined) return { agent, ended: begun }
  const below = agentsIn(begun)
  const stop = below.find((one) => stopping.has(one.agent))?.agent
  const rest = { agent, childId: begun.agent }
  if (stop !== undefined) return { ...rest, input: { state: begun, stop } }
  const isAtRest = begun.pause !== undefined && begun.ended !== undefined
  return isAtRest && !below.some(canResume) ? 'waits' : { ...rest, input: { state: begun } }
}

/** Numbers a new sub-agent beneath its parent, so that its id contains the session id. [LIFE-10] */
function nextChildId(run: Run): string {
  const spawns = (run.state.spawns ?? 0) + 1
  run.state = { ...run.state, spawns }
  return `${run.state.agent}.${spawns}`
}
