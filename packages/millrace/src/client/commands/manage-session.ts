import { ask, repeat } from '../transport/http/ask.ts'
import { checkRefusal } from '../transport/http/loss.ts'
import type { Session } from '../session.ts'

/** A session of a server: one that was created here, or an id with the options of its server. */
export type SessionPlace = Pick<Session, 'id' | 'options'>

/** Deletes a session with its log, history and files; an active run is stopped first. False if there is none. */
export async function deleteSession(session: SessionPlace): Promise<boolean> {
  let isRepeat = false
  const response = await repeat(session, (losses) => {
    isRepeat = losses > 0
    return ask(session, session.id, undefined, { method: 'DELETE' })
  })
  if (response.status !== 404) await checkRefusal(response)
  // A request with a lost response may have removed it.
  return response.ok || isRepeat
}

/** Changes the title of a session, to at most 120 characters on one line; resolves with the stored title. */
export async function renameSession(session: SessionPlace, title: string): Promise<string> {
  const response = await repeat(session, () =>
    ask(session, session.id, { title }, { method: 'PATCH' }),
  )
  await checkRefusal(response)
  return ((await response.json()) as { readonly title: string }).title
}
