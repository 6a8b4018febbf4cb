import type { Dialect } from '../../protocols/index.ts'
import { decodeSse } from '../../sse/index.ts'
import { endOf } from '../sessions/find-session.ts'
import { findRunStart } from '../reading/find-run-start.ts'
import { completedAt } from '../reading/completion.ts'
import type { ServerContext } from '../server-context.ts'
import type { CurrentSession } from '../sessions/current-session.ts'

/** Whose messages are read, how many runs of them, and in which dialect, each frame of which is a message. */
export interface ChatMessagesOptions {
  readonly request: Request
  readonly principal: string | undefined
  readonly limit: number
  readonly dialect: Dialect
}

/** Messages of a chat, as JSON. */
export interface ChatMessages {
  readonly messages: readonly string[]
  readonly hasMore: boolean
}

/** Reads the newest runs of a chat as messages: a stream like any other, so that it shows no more than one. */
export async function readChatMessages(
  context: ServerContext,
  current: CurrentSession,
  { request, principal, limit, dialect }: ChatMessagesOptions,
): Promise<ChatMessages> {
  const { session, log, tail, earliest } = current.info
  const place = { session, log, ...endOf(current) }
  let after = tail
  for (let runs = 0; runs < limit && after >= earliest; runs++)
    after = await findRunStart(context.store, place, after)
  const range = { ...place, after, completion: completedAt(tail) }
  const open = () => Promise.resolve(range)
  const { body } = await context.readers.respond(request, open, { principal, dialect })
  const messages: string[] = []
  if (body !== null) {
    const maxFrameChars = context.limits.maxUploadBytes
    for await (const events of decodeSse(body, { maxFrameChars, signal: request.signal }))
      for (const { data } of events) if (data !== '') messages.push(data)
  }
  return { messages, hasMore: after >= earliest }
}
