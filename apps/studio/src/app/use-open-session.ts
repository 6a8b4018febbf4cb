import { useCallback, useEffect, useState } from 'react'
import { findRecording, storeRecording, useOpening } from '../recordings/index.ts'
import { readServerInAddress } from '../server/index.ts'
import { openStudioSession, replaceParameters, showInAddress } from '../session/index.ts'
import type { StudioSession } from '../session/index.ts'
import { showPane } from '../ui/index.ts'

/** From this width on the chat is shown beside the list of sessions. */
const wide = '(width >= 860px)'

let latest: StudioSession | undefined

/** Opens the session in the page's address and closes the previous one, even if the page failed before it was shown. */
function openAddressedSession(): StudioSession {
  latest?.session.close()
  return (latest = openStudioSession())
}

/** Keeps the session that is shown and switches to a new one, to one of the server or to a recording. */
export function useOpenSession() {
  /** The session on a server, also while a recording is shown. */
  const [live, setLive] = useState(openAddressedSession)
  const [recorded, setRecorded] = useState<StudioSession>()
  const { opening, openFile } = useRecordings(setRecorded)

  /** Shows the session in the page's address. */
  const follow = useCallback(() => {
    setLive(openAddressedSession())
    setRecorded(undefined)
  }, [])

  const startNewChat = useCallback(() => {
    // The back button returns to the previous session.
    if (hasStarted(live)) history.pushState(null, '', location.href)
    showInAddress(undefined)
    follow()
    showPane('chat')
  }, [live, follow])
  const openSession = useCallback(
    (id: string) => {
      // The back button returns to the previous session.
      if (id !== live.session.id || recorded) {
        history.pushState(null, '', location.href)
        showInAddress(id)
        follow()
      }
      if (!matchMedia(wide).matches) showPane('chat')
    },
    [live, recorded, follow],
  )
  const changeServer = useCallback(
    (server: string) => {
      history.pushState(null, '', location.href)
      replaceParameters({ server: server || undefined, session: undefined, recording: undefined })
      follow()
      showPane('chat')
    },
    [follow],
  )
  const closeRecording = useCallback(() => {
    showInAddress(hasStarted(live) ? live.session.id : undefined)
    setRecorded(undefined)
  }, [live])
  useHistoryNavigation(live, follow)

  const studio = recorded ?? live
  return {
    studio,
    live,
    opening,
    openFile,
    openSession,
    changeServer,
    startNewChat,
    closeRecording,
  }
}

/** Opens recordings: files that the user chooses and the one in the page's address. */
function useRecordings(onRecorded: (recorded: StudioSession) => void) {
  /** Storage keys of recordings that are stored already. */
  const [keys] = useState(() => new WeakMap<Blob, string>())
  const onOpen = useCallback(
    (recorded: StudioSession, file: Blob) => {
      onRecorded(recorded)
      if (location.hash.startsWith('#lab')) showPane('chat')
      const shelve = storeRecording(file, recorded.fileName ?? '', keys.get(file))
      void shelve.then((key) => replaceParameters({ recording: key, session: undefined }))
    },
    [onRecorded, keys],
  )
  const opening = useOpening(onOpen)
  const { open, setProblem } = opening
  const openFile = useCallback(
    (file: File, otherwise?: () => void) => void open(file, file.name, otherwise),
    [open],
  )

  useEffect(() => {
    const key = new URL(location.href).searchParams.get('recording')
    if (key === null) return
    void findRecording(key).then((shelved) => {
      if (shelved) keys.set(shelved.file, key)
      if (shelved) void open(shelved.file, shelved.name)
      else setProblem('This browser no longer keeps the recording. Open the file again.')
    })
  }, [open, setProblem, keys])
  return { opening, openFile }
}

/** Reports whether a session has messages. */
function hasStarted({ session, resumed }: StudioSession): boolean {
  return resumed || session.getSnapshot().transcript.lastId > 0
}

/** Shows the session of the address that the browser navigates back to. */
function useHistoryNavigation(live: StudioSession, follow: () => void): void {
  useEffect(() => {
    const onReturn = (): void => {
      const { searchParams } = new URL(location.href)
      if (searchParams.has('recording')) return
      const id = searchParams.get('session')
      const isOther = id === null ? hasStarted(live) : id !== live.session.id
      if (isOther || readServerInAddress() !== live.server) follow()
    }
    addEventListener('popstate', onReturn)
    return () => removeEventListener('popstate', onReturn)
  }, [live, follow])
}
