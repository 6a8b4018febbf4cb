import { chunkPayload, type Extras } from 'millrace'
import type { JsonObject } from 'millrace'
import type { Task } from '../implementation.ts'

/** Splits the payload of a case into encoded messages. */
export function chunkCase({ input }: Task): JsonObject {
  const { type, agent, payload, extras = {}, final_on_last: final, max_bytes: maxBytes } = input
  const lines = chunkPayload({
    type: String(type),
    agent: String(agent),
    payload: String(payload),
    extras: extras as Extras,
    final: final === true,
    ...(typeof maxBytes === 'number' ? { maxBytes } : {}),
  })
  return { lines: [...lines] }
}
