import { useCallback, useEffect, useRef, useState } from 'react'
import { Chat } from '../chat/chat.tsx'
import { DropZone } from '../recording/drop-zone.tsx'
import { OpeningNotice } from '../recording/opening-notice.tsx'
import { findRecording, shelveRecording } from '../recording/recording-shelf.ts'
import { useOpening } from '../recording/use-opening.ts'
import { StudioContext } from '../session/studio-context.ts'
import { openStudioSession, replaceParameters, showInAddress } from '../session/studio-session.ts'
import type { StudioSession } from '../session/studio-session.ts'
import { useShownStudio } from '../session/use-shown-studio.ts'
import { Wire } from '../wire/wire.tsx'
import { Header } from './header.tsx'
import { LabPane } from './lab-pane.tsx'
import { LiveStatus } from './live-status.tsx'
import { TimelinePane } from './timeline-pane.tsx'
import { showPane, usePane } from './use-pane.ts'

/** The whole page: a header, the conversation with the wire beside it, the timeline below them, or the lab. */
export function Studio({ first }: { readonly first: StudioSession }) {
  const { studio, opening, openFile, startNewChat, closeRecording } = useStudios(first)
  const pane = usePane()
  const shown = useShownStudio(studio)
  const isRecording = studio.frozen === 'recording'
  const { id } = studio.session
  return (
    <StudioContext value={studio}>
      <div className="studio" data-pane={pane}>
        <Header pane={pane} onNewChat={startNewChat} onFile={openFile} />
        <StudioContext value={shown}>
          <main className="chat-pane" aria-label="Conversation" data-frozen={shown.frozen}>
            <Chat key={id} onNewChat={isRecording ? closeRecording : startNewChat} />
          </main>
          <aside className="wire-pane" aria-label="The wire: every frame of the stream">
            <Wire key={id} />
          </aside>
        </StudioContext>
        <TimelinePane key={id} isShown={pane === 'timeline'} />
        <LabPane isShown={pane === 'lab'} />
        <LiveStatus />
        <OpeningNotice opening={opening} />
        <DropZone onFile={openFile} />
      </div>
    </StudioContext>
  )
}

/** The conversation that is shown, and how to come to another: a new one, or one from a file. */
function useStudios(first: StudioSession) {
  const [studio, setStudio] = useState(first)
  /** The one on a server, also while a recording is shown. */
  const live = useRef(first)

  const onOpen = useCallback((recorded: StudioSession, file: Blob) => {
    setStudio(recorded)
    if (location.hash.startsWith('#lab')) showPane('chat')
    void shelveRecording(file, recorded.fileName ?? '').then((key) =>
      replaceParameters({ recording: key, session: undefined }),
    )
  }, [])
  const opening = useOpening(onOpen)
  const { open, setProblem } = opening
  const openFile = useCallback((file: File) => void open(file, file.name), [open])

  useEffect(() => {
    const key = new URL(location.href).searchParams.get('recording')
    if (key === null) return
    void findRecording(key).then((shelved) => {
      if (shelved) void open(shelved.file, shelved.name)
      else setProblem('This browser no longer keeps the recording. Open the file again.')
    })
  }, [open, setProblem])

  const startNewChat = useCallback(() => {
    live.current.session.close()
    showInAddress(undefined)
    setStudio((live.current = openStudioSession()))
    showPane('chat')
  }, [])
  const closeRecording = useCallback(() => {
    const { session } = live.current
    const isBegun = session.getSnapshot().transcript.lastId > 0
    showInAddress(isBegun ? session.id : undefined)
    setStudio(live.current)
  }, [])
  return { studio, opening, openFile, startNewChat, closeRecording }
}
