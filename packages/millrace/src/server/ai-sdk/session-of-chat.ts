import { deriveSession } from '../requests/derived-session.ts'

/** The session of a chat. */
export function sessionOfChat(chat: string, principal: string | undefined): Promise<string> {
  return deriveSession('ai-sdk', principal, chat)
}
