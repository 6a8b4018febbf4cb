import type { AnnouncedCall } from '../../events/index.ts'
import { parseJsonObject } from '../../json/index.ts'
import { type AgentState, agentsIn, openCalls } from '../state/index.ts'
import type { RunInput, Subagent } from '../agent.ts'
import { canResume } from '../calls/answer-pause.ts'
import { hasEnded } from './close-agent.ts'
import type { Run } from '../run.ts'

/** Maximum depth of sub-agents, so that no two agents call each other forever. */
const MAX_DEPTH = 8

/** The task of a call that spawns a sub-agent. */
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
export function toSubagentTask(run: Run, call: AnnouncedCall): SubagentTask {
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
export function nextChildId(run: Run): string {
  const spawns = (run.state.spawns ?? 0) + 1
  run.state = { ...run.state, spawns }
  return `${run.state.agent}.${spawns}`
}
