import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { objectsOf } from '../flow-blocks.ts'

/** The agent that a case is about; its sub-agents have the names that the case gives them. */
export const ROOT = 'root'

/** Names a call by its place: the n-th call, counted from 0, that a client shows of the agent with a name. */
export interface CallReference {
  readonly agent: string
  readonly call: number
}

/** Reads a call of a case: a reference, or undefined for an id as the wire has it. */
export function toCallReference(value: JsonValue | undefined): CallReference | undefined {
  if (!isJsonObject(value)) return undefined
  const { agent = ROOT, call } = value
  return typeof agent === 'string' && typeof call === 'number' ? { agent, call } : undefined
}

/** The id of the agent with a name, as a view shows it. */
export function agentNamed(view: JsonObject, name: string): string | undefined {
  return agentsOf(view).find((agent) => agent.name === name)?.id
}

/** The name of the agent with an id. */
export function nameOfAgent(view: JsonObject, id: string): string | undefined {
  return agentsOf(view).find((agent) => agent.id === id)?.name
}

/** The names of all agents that a view shows. */
export function agentNames(view: JsonObject): readonly string[] {
  return [...new Set(agentsOf(view).map(({ name }) => name))]
}

/** The calls of tools that a view shows of the agent with a name, in order. */
export function callsOf(view: JsonObject, name: string): readonly JsonObject[] {
  return agentsOf(view)
    .filter((agent) => agent.name === name)
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'tool_call'))
}

/** The id of the call that a reference names. */
export function callIdOf(view: JsonObject, { agent, call }: CallReference): string | undefined {
  const id = callsOf(view, agent)[call]?.['id']
  return typeof id === 'string' ? id : undefined
}

/** The id of a call that a case names by its id or by its place. */
export function resolveCall(view: JsonObject, value: JsonValue | undefined): string {
  const reference = toCallReference(value)
  if (reference === undefined) return String(value)
  return callIdOf(view, reference) ?? `no call ${reference.call} of ${reference.agent}`
}

interface ShownAgent {
  readonly id: string
  readonly name: string
  readonly blocks: readonly JsonObject[]
}

function agentsOf(view: JsonObject): readonly ShownAgent[] {
  const agents = isJsonObject(view['agents']) ? view['agents'] : {}
  return Object.entries(agents).flatMap(([id, agent]) =>
    isJsonObject(agent)
      ? [{ id, name: String(agent['name'] ?? ROOT), blocks: objectsOf(agent['blocks']) }]
      : [],
  )
}
