import type { AwaitedCall, RunEnd, ToolSchema } from '../events/index.ts'
import { isPauseReason } from '../events/index.ts'
import { isJsonObject, type JsonObject } from '../json/index.ts'
import { errorAnswer, parseInput, textAnswer, type ToolAnswer } from '../tools/index.ts'
import type { AgentState } from './agent-state.ts'
import { agentsIn, withChild } from './agent-tree.ts'
import type { Agent, RunInput } from './agent.ts'
import { canGoOn } from './answer-pause.ts'
import { type CallWork, toAnswered, toStatus, type Wait } from './deed.ts'
import { toFinalAnswer } from './final-answer.ts'
import type { Run } from './run.ts'

/** The tool with which a model hands a task to another agent. */
export const SPAWN_SUBAGENT = 'spawn_subagent'

/** Sub-agents of sub-agents, and so on; deeper ones are refused, so that no two agents call each other for ever. */
const MAX_DEPTH = 8

/** As the model is offered it: which agents there are, and what each is good for. */
export function spawnSchema(subagents: ReadonlyMap<string, Agent>): ToolSchema {
  const list = [...subagents.values()].map(
    ({ name, model, description = '' }) =>
      `- ${name}${model === undefined ? '' : ` (${model})`}: ${description}`,
  )
  return {
    name: SPAWN_SUBAGENT,
    description: [
      'Hands a task to another agent, which works on it alone and answers with what it found. Several can work at once: call this several times in one message. It sees nothing of this conversation, so the task must say all it needs. The agents:',
      ...list,
    ].join('\n'),
    inputSchema: {
      type: 'object',
      properties: {
        agent_name: { type: 'string', enum: [...subagents.keys()] },
        task: { type: 'string', description: 'What to do, with all that the agent must know.' },
        resume_agent_uuid: {
          type: 'string',
          description: 'The uuid of an agent that answered before, to go on with it.',
        },
      },
      required: ['agent_name', 'task'],
    },
  }
}

/** A sub-agent, and what it is to be run with. */
interface Errand {
  readonly agent: Agent
  readonly input: RunInput
}

/** Runs a sub-agent for a call; its events become part of the run, its state part of the state. */
export async function* spawnSubagent(
  run: Run,
  call: AwaitedCall,
  waits: Map<string, Wait>,
): CallWork {
  const errand = toErrand(run, call)
  if (errand === 'waits') return void waits.set(call.id, 'agent')
  if ('problem' in errand) return yield* toAnswered(run, call, errorAnswer(errand.problem))
  const { agent, input } = errand
  const span = run.span.start('tool', {
    name: SPAWN_SUBAGENT,
    callId: call.id,
    inputText: call.inputText,
  })
  yield toStatus(run, call, 'started')
  const { signal, control } = run
  let last: AgentState | undefined
  let held: AgentState | undefined
  let end: RunEnd | undefined
  for await (const item of agent.run(input, { signal, control, span })) {
    if (item.type === 'checkpoint') {
      held = item.state
      last = item.state
      continue
    }
    if (item.type === 'run_end' && item.agent === last?.agent) end = item
    const child = held
    held = undefined
    yield child === undefined
      ? { event: item }
      : { event: item, change: (state) => withSpawned(state, call, child) }
  }
  if (last !== undefined && end !== undefined && isPauseReason(end.stopReason)) {
    span.end({ stopReason: end.stopReason })
    return void waits.set(call.id, 'agent')
  }
  const answer = toChildAnswer(agent, last, end)
  span.end({ text: answer.text })
  yield* toAnswered(run, call, answer)
}

/** What the call asks for: an agent that goes on, one that is resumed with a new task, or a new one. */
function toErrand(run: Run, call: AwaitedCall): Errand | 'waits' | { readonly problem: string } {
  const { settings, state } = run
  const begun = state.children?.[state.turn?.spawned?.[call.id] ?? '']
  if (begun !== undefined) return toContinuation(run, begun)
  const asked = toAsked(call)
  const agent = settings.subagents.get(String(asked['agent_name']))
  const { task, resume_agent_uuid: uuid } = asked
  if (agent === undefined)
    return {
      problem: `\`agent_name\` must be one of: ${[...settings.subagents.keys()].join(', ')}.`,
    }
  if (typeof task !== 'string' || task.trim() === '')
    return { problem: '`task` must say what the agent is to do.' }
  const depth = (state.parent?.depth ?? 0) + 1
  if (depth > MAX_DEPTH)
    return { problem: `Agents may call each other ${MAX_DEPTH} deep; do this task yourself.` }
  const parent = { agent: state.agent, toolUseId: call.id, runId: state.runId, depth }
  if (typeof uuid !== 'string' || uuid === '')
    return { agent, input: { agent: settings.createId(), prompt: task, parent } }
  const prior = Object.hasOwn(state.children ?? {}, uuid) ? state.children?.[uuid] : undefined
  if (prior === undefined || prior.name !== agent.name)
    return { problem: `No agent "${agent.name}" with the uuid ${uuid} has worked here.` }
  return { agent, input: { state: prior, prompt: task, parent } }
}

function toContinuation({ settings }: Run, begun: AgentState): ReturnType<typeof toErrand> {
  const agent = settings.subagents.get(begun.name)
  if (agent === undefined)
    return { problem: `The agent "${begun.name}" is not offered any more; its work is lost.` }
  if (begun.pause !== undefined && !agentsIn(begun).some(canGoOn)) return 'waits'
  return { agent, input: { state: begun } }
}

function toAsked({ inputText }: AwaitedCall): JsonObject {
  const input = parseInput(inputText)
  return 'value' in input && isJsonObject(input.value) ? input.value : {}
}

function withSpawned(state: AgentState, call: AwaitedCall, child: AgentState): AgentState {
  const kept = withChild(state, child)
  const { turn } = kept
  if (turn === undefined || turn.spawned?.[call.id] === child.agent) return kept
  return { ...kept, turn: { ...turn, spawned: { ...turn.spawned, [call.id]: child.agent } } }
}

/** What the parent's model reads: a child that failed or was stopped fails its call, not the parent. */
function toChildAnswer(
  { name }: Agent,
  state: AgentState | undefined,
  end: RunEnd | undefined,
): ToolAnswer {
  if (state === undefined || end === undefined)
    return errorAnswer(`The agent "${name}" broke off without an answer.`)
  const { stopReason, steps } = end
  const text = [
    `Answer of the agent "${name}":`,
    `Agent UUID: ${state.agent}`,
    toFinalAnswer(state.messages.slice(state.runStart)) || '(it said nothing)',
    `[stop_reason=${stopReason}, steps=${steps}]`,
  ].join('\n')
  return stopReason === 'error' || stopReason === 'aborted' ? errorAnswer(text) : textAnswer(text)
}
