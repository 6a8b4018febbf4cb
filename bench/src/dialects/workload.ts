import type { Envelope } from 'millrace'
import { AGENT, cut, initEnvelope, prose } from '../deltas.ts'

/** The sub-agent of the measured runs. */
const CHILD = 'c0000000-0000-4000-8000-000000000002'

const DELTA_LENGTH = 12

const say = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope => ({
  type,
  agent: AGENT,
  final: true,
  delta,
  ...more,
})

/** A block of deltas, closed. */
function block(type: string, deltas: readonly string[], more: Partial<Envelope> = {}): Envelope[] {
  const pieces = deltas.map((delta) => say(type, delta, { final: false, ...more }))
  return [...pieces, say(type, '', more)]
}

const usage = { input_tokens: 10, output_tokens: 20 }
const step = (stop: string): Envelope =>
  say('meta_step', JSON.stringify({ step: 1, stop_reason: stop, usage, cost: null }))
const end = (more: Partial<Envelope> = {}): Envelope =>
  say('meta_end', JSON.stringify({ stop_reason: 'end_turn', total_steps: 2, usage }), more)

/** A run of about this many frames: thinking, a call with streamed arguments, its result, a text. */
export function runOf(messages: number): Envelope[] {
  const third = Math.floor(messages / 3)
  const deltas = cut(prose(third * DELTA_LENGTH), DELTA_LENGTH)
  const input = JSON.stringify({ path: '/a', content: prose(third * DELTA_LENGTH) })
  const call = { id: 'toolu_1', name: 'grind' }
  return [
    initEnvelope,
    ...block('thinking', deltas),
    ...block('tool_call', cut(input, DELTA_LENGTH), call),
    step('tool_use'),
    say('tool_result', 'Flour', call),
    ...block('text', deltas),
    step('end_turn'),
    end(),
  ]
}

/** A run whose sub-agent answers in deltas of a number of characters. */
export function subagentRunOf(answer: string, deltaLength: number): Envelope[] {
  const call = { id: 'toolu_1', name: 'spawn_subagent' }
  const child = { agent: CHILD }
  const birth = {
    format: 'json',
    user_query: 'Answer',
    agent_uuid: CHILD,
    model: 'm',
    name: 'historian',
    parent_agent_uuid: AGENT,
    parent_tool_use_id: call.id,
  }
  return [
    initEnvelope,
    say('tool_call', '{"agent_name":"historian","task":"Answer"}', call),
    step('tool_use'),
    say('meta_init', JSON.stringify(birth), child),
    ...block('text', cut(answer, deltaLength), child),
    end(child),
    say('tool_result', answer, call),
    ...block('text', ['Done.']),
    step('end_turn'),
    end(),
  ]
}
