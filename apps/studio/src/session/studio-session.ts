import { createSession } from 'millrace/client'
import type { Session } from 'millrace/client'
import { createEditedCalls } from './edited-calls.ts'
import type { EditedCalls } from './edited-calls.ts'
import { createFrameLog } from './frame-log.ts'
import type { FrameLog } from './frame-log.ts'

/** A conversation with the record of its frames. */
export interface StudioSession {
  readonly session: Session
  readonly frames: FrameLog
  readonly editedCalls: EditedCalls
  /** The server's address, empty for the page's own. */
  readonly server: string
  /** It was named in the address, so there is something to read. */
  readonly resumed: boolean
}

/** Opens the conversation that the page's address names, or a new one. */
export function openStudioSession(): StudioSession {
  const parameters = new URL(location.href).searchParams
  const id = parameters.get('session') ?? ''
  const server = toServer(parameters.get('server') ?? '')
  const frames = createFrameLog()
  const editedCalls = createEditedCalls()
  const session = createSession({
    url: server || new URL('.', location.href).href,
    ...(id && { session: id }),
    // Calls are shown while the model writes them.
    runFields: { tool_input: 'live' },
    onFrame: (frame) => {
      frames.add(frame)
      editedCalls.add(frame)
    },
  })
  if (id) void session.watch()
  followWhenLookedAt(session)
  return { session, frames, editedCalls, server, resumed: id !== '' }
}

/** Reads what came meanwhile when someone turns to the page: another page may have asked or answered. */
function followWhenLookedAt(session: Session): void {
  const follow = (): void => {
    const { connection, transcript } = session.getSnapshot()
    const isAtRest = connection.state === 'idle' && transcript.lastId > 0
    if (isAtRest && document.visibilityState === 'visible') void session.watch()
  }
  addEventListener('focus', follow)
  document.addEventListener('visibilitychange', follow)
}

/** Writes a conversation's id into the page's address, so that a reload goes on with it; undefined takes it out. */
export function showInAddress(id: string | undefined): void {
  const url = new URL(location.href)
  if (url.searchParams.get('session') === (id ?? null)) return
  if (id) url.searchParams.set('session', id)
  else url.searchParams.delete('session')
  history.replaceState(null, '', url)
}

function toServer(value: string): string {
  return /^https?:\/\//.test(value) ? value : ''
}
