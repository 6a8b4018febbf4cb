import { ask, command, repeat } from '../transport/http/ask.ts'
import { checkRefusal } from '../transport/http/loss.ts'
import type { Session } from '../session.ts'

/** A session of a server: one that was created here, or an id with the options of its server. */
export type SessionPlace = Pick<Session, 'id' | 'options'>

/** Deletes a session with its log, history and files; an active run is stopped first. False if there is none. */
export async function deleteSession(session: SessionPlace): Promise<boolean> {
  const { headers } = await repeat(session, () => ask(session, session.id))
  const log = headers.get('millrace-log')
  let isRepeat = false
  const remove = (losses: number): Promise<Response> => {
    isRepeat = losses > 0
    const path = log ? `${session.id}?log=${log}` : session.id
    return ask(session, path, undefined, { method: 'DELETE' })
  }
  // Without its log, a repeated request could delete a session that was created again under the same id.
  const response = await (log ? repeat(session, remove) : remove(0))
  if (response.status !== 404 && response.status !== 410) await checkRefusal(response)
  // A request with a lost response may have removed it.
  return response.ok || isRepeat
}

/** Changes the title of a session, to at most 120 characters on one line; resolves with the stored title. */
export async function renameSession(session: SessionPlace, title: string): Promise<string> {
  const response = await command(session, session.id, { title }, { method: 'PATCH' })
  await checkRefusal(response)
  return ((await response.json()) as { readonly title: string }).title
}
