import type { Conversation } from '../store/index.ts'
import type { RedisContext } from './redis-context.ts'
import { numberAt, textAt } from './reply.ts'
import { conversations } from './scripts/index.ts'

/** Conversations with a number below a bound, the newest first. */
export async function listConversations(
  { run, keys }: RedisContext,
  session: string,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<readonly Conversation[]> {
  const { history, conversations: texts } = keys.session(session)
  const bound = before === undefined ? '+inf' : `(${before}`
  const reply = await run(conversations, [history, texts], [bound, limit])
  const found: Conversation[] = []
  for (let at = 0; at < reply.length; at += 2)
    found.push({ number: numberAt(reply, at), json: textAt(reply, at + 1) ?? '' })
  return found
}
