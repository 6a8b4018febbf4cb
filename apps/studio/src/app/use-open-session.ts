import { useCallback, useEffect, useState } from 'react'
import { findRecording, storeRecording, useOpening } from '../recordings/index.ts'
import { readServerInAddress } from '../server/index.ts'
import { openStudioSession, replaceParameters, showInAddress } from '../session/index.ts'
import type { StudioSession } from '../session/index.ts'
import { showPane } from '../ui/index.ts'

/** From this width on, chat stands beside the sessions. */
const wide = '(width >= 860px)'

let latest: StudioSession | undefined

/** Opens what the page's address names, and closes what was open, also if the page failed before it had shown that. */
function openAddressedSession(): StudioSession {
  latest?.session.close()
  return (latest = openStudioSession())
}

/** The conversation that is shown, and how to come to another: a new one, one of the server, or one from a file. */
export function useOpenSession() {
  /** The one on a server, also while a recording is shown. */
  const [live, setLive] = useState(openAddressedSession)
  const [recorded, setRecorded] = useState<StudioSession>()
  const { opening, openFile } = useRecordings(setRecorded)

  /** Shows the conversation that the page's address names now. */
  const follow = useCallback(() => {
    setLive(openAddressedSession())
    setRecorded(undefined)
  }, [])

  const startNewChat = useCallback(() => {
    // Going back leads to the one before.
    if (hasStarted(live)) history.pushState(null, '', location.href)
    showInAddress(undefined)
    follow()
    showPane('chat')
  }, [live, follow])
  const openSession = useCallback(
    (id: string) => {
      // Going back leads to the one before.
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

/** Opens files, and the one that the page's address names. */
function useRecordings(onRecorded: (recorded: StudioSession) => void) {
  /** Of files that were kept, under what: they stay there. */
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

/** Whether something was said in a conversation. */
function hasStarted({ session, resumed }: StudioSession): boolean {
  return resumed || session.getSnapshot().transcript.lastId > 0
}

/** Shows the conversation of an address that the browser goes back to. */
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
