import type { CollectedEvent } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'

/** The stages after which a call is not pending, even if its agent waits for other calls. [CALL-3] */
export const settledStages: ReadonlySet<string> = new Set([
  'approved',
  'refused',
  'expired',
  'answered',
])

/** Whether an event is an answer or a decision. */
export function isAnswer(event: CollectedEvent): boolean {
  return event.type === 'tool_status' && settledStages.has(event.stage)
}

/** The fields of a `tool_status` that record a decision. [APR-3] */
const ofDecisions = { by: 'string', at: 'string', input_hash: 'string', edited: 'boolean' } as const

/** The fields of a call's request for approval. [APR-1] */
const ofRequests = { input_hash: 'string', asked_at: 'string', expires_at: 'string' } as const

/** Picks the fields that record a decision. */
export function decisionFieldsIn(source: Readonly<Record<string, unknown>>): JsonObject {
  return pick(source, ofDecisions)
}

/** Picks the fields of a request for approval. */
export function requestFieldsIn(source: Readonly<Record<string, unknown>>): JsonObject {
  return pick(source, ofRequests)
}

function pick(
  source: Readonly<Record<string, unknown>>,
  kinds: Readonly<Record<string, 'string' | 'boolean'>>,
): JsonObject {
  const fields = Object.entries(kinds).filter(([name, kind]) => typeof source[name] === kind)
  return Object.fromEntries(fields.map(([name]) => [name, source[name]])) as JsonObject
}
