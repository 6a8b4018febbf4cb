import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import type { ApiError } from '../routes/api-error.ts'
import { invalidRequest } from '../request/request-content.ts'

/** Conversations stored on the server, so that a request contains only new messages (beta). */
export type Threads = ReturnType<typeof createThreads>

/** Fields that a thread takes from the request that created it. */
const createOnly = ['system', 'tools'] as const

/** Creates a store that evicts the oldest of more than `maxThreads` conversations. */
export function createThreads(maxThreads = 100) {
  const kept = new Map<string, JsonObject>()
  return {
    /** Returns a request completed with its thread, or the error if there is no such thread. */
    resolve(body: JsonValue): { readonly body: JsonValue } | { readonly error: ApiError } {
      const thread = threadOf(body)
      if (!isJsonObject(body) || thread === undefined || thread['type'] === 'create')
        return { body }
      const { type, previous_message_id: id } = thread
      if (type !== 'continue' || typeof id !== 'string') {
        throw invalidRequest('thread', 'must be created, or continue from a previous_message_id')
      }
      const before = kept.get(id)
      if (before === undefined) return { error: notFound(id) }
      const messages = [...listOf(before['messages']), ...listOf(body['messages'])]
      return { body: { ...body, ...before, messages } }
    },
    /** Stores the conversation of an answered request under the id of the answer. */
    keep(body: JsonValue, messageId: string, content: JsonValue) {
      if (!isJsonObject(body) || threadOf(body) === undefined) return
      const messages = [...listOf(body['messages']), { role: 'assistant', content }]
      const fields = createOnly.flatMap((field) =>
        body[field] === undefined ? [] : [[field, body[field]] as const],
      )
      kept.set(messageId, { ...Object.fromEntries(fields), messages })
      const [oldest] = kept.keys()
      if (kept.size > maxThreads && oldest !== undefined) kept.delete(oldest)
    },
  }
}

function threadOf(body: JsonValue): JsonObject | undefined {
  const thread = isJsonObject(body) ? body['thread'] : undefined
  return isJsonObject(thread) ? thread : undefined
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(value) ? value : []
}

function notFound(id: string): ApiError {
  return {
    type: 'not_found_error',
    message: `thread: there is no thread ${id}; send the whole conversation and create a new one`,
    details: { error_code: 'thread_not_found' },
  }
}
