import type { Envelope } from '../../../envelope/index.ts'
import { type JsonObject, parseJsonObject } from '../../../json/index.ts'
import { differences } from '../differences.ts'
import { isSteeredInText } from './flow-agents.ts'
import type { FlowInput } from './flow-input.ts'
import { textOf } from './script-reply.ts'

/** Something that a case does while a run is under way: a request to the server, once. */
export interface FlowAct {
  readonly path: 'stop' | 'steer'
  readonly body: JsonObject
  /** The sub-agent that it is meant for, by name. */
  readonly agent: string | undefined
  /** Whether tools wait for it. */
  readonly isInTools: boolean
  isDue(seen: Seen): boolean
}

/** What has been read of a run so far. */
export interface Seen {
  readonly last: Envelope
  /** The text of the answer. */
  readonly text: string
  /** The names of agents by their ids. */
  readonly names: ReadonlyMap<string, string>
}

/** The act of a case, if it has one. */
export function toAct(input: FlowInput): FlowAct | undefined {
  const { abort_after_text: text, abort_when: abortWhen, steer, steer_when: steerWhen } = input
  const stop = { path: 'stop', body: {}, agent: input.abort_agent } as const
  if (text !== undefined)
    return { ...stop, isInTools: false, isDue: ({ text: all }) => all.includes(text) }
  if (abortWhen !== undefined) return { ...stop, ...atMoment(abortWhen) }
  if (steer === undefined) return undefined
  const tell = { path: 'steer', body: { user_prompt: steer }, agent: input.steer_agent } as const
  if (steerWhen !== undefined) return { ...tell, ...atMoment(steerWhen) }
  if (!isSteeredInText(input)) return { ...tell, ...atMoment({ type: 'tool_call' }) }
  const said = input.model?.[0] === undefined ? '' : textOf(input.model[0])
  return { ...tell, isInTools: false, isDue: ({ text: all }) => all.includes(said) }
}

/** At the first message that has these fields. */
function atMoment(moment: JsonObject): Pick<FlowAct, 'isInTools' | 'isDue'> {
  const { agent_name: name, ...fields } = moment
  return {
    isInTools: String(fields['type']).startsWith('tool_'),
    isDue: ({ last, names }) =>
      differences(fields, last).length === 0 &&
      (name === undefined || names.get(last.agent) === name),
  }
}

/** Follows a run message by message. */
export function createWatch(onSeen: (seen: Seen) => void): (message: Envelope) => void {
  const names = new Map<string, string>()
  let text = ''
  return (last) => {
    if (last.type === 'text') text += last.delta
    if (last.type === 'meta_init')
      names.set(last.agent, String(parseJsonObject(last.delta)?.['name']))
    onSeen({ last, text, names })
  }
}
