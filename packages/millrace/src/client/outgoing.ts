import type { SessionOptions, SessionSnapshot } from './session.ts'

/**
 * What is wanted: a prompt sent, answers sent, a stream read to its end. Earlier answers go with new ones, because
 * the server takes the same one twice.
 */
export type Want = 'run' | 'tool_results' | 'stream'

/** A request to make: a POST when it has a body. */
export interface Outgoing {
  readonly path: string
  readonly body?: object
}

/** The request that brings what is wanted. */
export function toOutgoing(
  want: Want,
  agent_uuid: string,
  { runFields }: SessionOptions,
  { prompt, answers, transcript }: SessionSnapshot,
): Outgoing {
  if (want === 'stream') return { path: `${agent_uuid}/stream?cursor=${transcript.lastId}` }
  const body =
    want === 'run'
      ? { ...runFields, agent_uuid, user_prompt: prompt?.text }
      : {
          agent_uuid,
          tool_results: Object.entries(answers).map(([tool_use_id, { content, isError }]) => ({
            tool_use_id,
            content,
            is_error: isError,
          })),
        }
  return { path: want, body }
}
