import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { objectsOf } from '../flow-output.ts'

/** The root agent of a case; its sub-agents have names given by the case. */
export const ROOT = 'root'

/** A reference to the n-th call, from 0, in the view of the agent with a name. */
export interface CallReference {
  readonly agent: string
  readonly call: number
}

/** Decodes a call of a case: a reference, or undefined for an id as on the wire. */
export function toCallReference(value: JsonValue | undefined): CallReference | undefined {
  if (!isJsonObject(value)) return undefined
  const { agent = ROOT, call } = value
  return typeof agent === 'string' && typeof call === 'number' ? { agent, call } : undefined
}

/** Returns the id of the agent with a name. */
export function agentNamed(view: JsonObject, name: string): string | undefined {
  return agentsOf(view).find((agent) => agent.name === name)?.id
}

/** Returns the name of the agent with an id. */
export function nameOfAgent(view: JsonObject, id: string): string | undefined {
  return agentsOf(view).find((agent) => agent.id === id)?.name
}

/** Returns the names of all agents, each once. */
export function agentNames(view: JsonObject): readonly string[] {
  return [...new Set(agentsOf(view).map(({ name }) => name))]
}

/** Returns the tool calls of the agent with a name in a view, in order. */
export function callsOf(view: JsonObject, name: string): readonly JsonObject[] {
  return agentsOf(view)
    .filter((agent) => agent.name === name)
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'tool_call'))
}

/** Returns the id of a referenced call. */
export function callIdOf(view: JsonObject, { agent, call }: CallReference): string | undefined {
  const id = callsOf(view, agent)[call]?.['id']
  return typeof id === 'string' ? id : undefined
}

/** Returns the id of a call that a case names by id or by reference. */
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
