import type { JsonObject } from 'millrace'
import { difference } from '../differences.ts'
import { isSameJson } from '../same-json.ts'
import { agentNames, callsOf, ROOT } from './expectations/call-reference.ts'
import { toMessages } from './flow-blocks.ts'
import type { FlowFound } from './flow-found.ts'

/** Finds call ids that are not unique in a session, or that differ between a model and a client. [CALL-1] */
export function callIdFaults(found: FlowFound): string[] {
  return [...repeatedIds(found), ...foreignCalls(found)]
}

function repeatedIds({ shown }: FlowFound): string[] {
  const ids = agentNames(shown).flatMap((name) => callsOf(shown, name).map(({ id }) => String(id)))
  const repeated = ids.filter((id, at) => ids.indexOf(id) !== at)
  return repeated.map((id) => `two calls have the id ${id}`)
}

/** Finds calls in the requests of an agent that no client has under that id. */
function foreignCalls({ shown, requests, next }: FlowFound): string[] {
  return (next ? [...requests, next] : requests).flatMap(({ path, body }) => {
    const calls = callsOf(shown, path.at(-1) ?? ROOT)
    return toMessages(body['messages'])
      .flatMap(({ content }) => content.filter(({ type }) => type === 'tool_use'))
      .filter((sent) => !calls.some((call) => isSameCall(sent, call)))
      .map(({ id, name, input }) => difference('a call in a request', { id, name, input }, calls))
  })
}

function isSameCall(sent: JsonObject, shown: JsonObject): boolean {
  return (['id', 'name', 'input'] as const).every((field) => isSameJson(sent[field], shown[field]))
}
