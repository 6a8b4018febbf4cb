import type { TranscriptStatus } from 'millrace'
import { useAgent } from 'millrace/react'
import { useCallback, useEffect, useState } from 'react'
import type { DroppedFiles } from '../chat/composer/index.ts'
import { Chat } from '../chat/index.ts'
import { OpeningNotice } from '../recordings/index.ts'
import { accessTo, TokenDialog, useAccess } from '../server/index.ts'
import { StudioContext, type StudioSession, useShownSession, useStudio } from '../session/index.ts'
import { ErrorBoundary, lazyComponent, LazyPane } from '../ui/boundary/index.ts'
import { showPane, usePane } from '../ui/index.ts'
import { Wire } from '../wire/index.ts'
import { Header } from './header.tsx'
import { useOpenSession } from './use-open-session.ts'

const Lab = lazyComponent(async () => (await import('../lab/index.ts')).Lab)

const Sessions = lazyComponent(async () => (await import('../sessions/index.ts')).Sessions)

const Timeline = lazyComponent(async () => (await import('../timeline/index.ts')).TimelineView)

const announcements: Readonly<Record<TranscriptStatus, string>> = {
  idle: '',
  streaming: 'The agent is answering.',
  awaiting_tools: 'The agent waits for your answer.',
  complete: 'The answer is complete.',
  error: 'The run failed.',
  aborted: 'The run was stopped.',
}

const marks: Readonly<Partial<Record<TranscriptStatus, string>>> = {
  streaming: '● ',
  awaiting_tools: '? ',
}

/**
 * Shows the whole page: the header, the chat with the wire beside it, the timeline, the list of sessions and the lab.
 */
export function Studio() {
  const { studio, live, opening, ...go } = useOpenSession()
  const { openFile, startNewChat, closeRecording } = go
  const { server } = live
  const pane = usePane()
  const shown = useShownSession(studio)
  useServerAccess(live)
  const { onDropped, ...inbox } = useDroppedFiles(openFile, shown.readOnly === undefined)
  const isRecording = studio.readOnly === 'recording'
  const { id } = studio.session
  return (
    <StudioContext value={studio}>
      <div className="studio" data-pane={pane}>
        <Header
          {...{ pane, server }}
          onServer={go.changeServer}
          onNewChat={startNewChat}
          onFile={openFile}
        />
        <SessionsPane
          key={server}
          server={server}
          isShown={pane === 'sessions'}
          onOpen={go.openSession}
          onNewChat={startNewChat}
        />
        <StudioContext value={shown}>
          <main className="chat-pane" aria-label="Conversation" data-read-only={shown.readOnly}>
            <ErrorBoundary key={id} name="The conversation" scope="pane" resetKey={shown}>
              <Chat onNewChat={isRecording ? closeRecording : startNewChat} {...inbox} />
            </ErrorBoundary>
          </main>
          <aside className="wire-pane" aria-label="The wire: every frame of the stream">
            <ErrorBoundary key={id} name="The wire" scope="pane" resetKey={shown}>
              <Wire />
            </ErrorBoundary>
          </aside>
        </StudioContext>
        <TimelinePane key={id} isShown={pane === 'timeline'} />
        <LabPane isShown={pane === 'lab'} />
        <LiveStatus />
        <OpeningNotice opening={opening} />
        <DropZone onFiles={onDropped} canAttach={shown.readOnly === undefined} />
        <TokenDialog server={server} />
      </div>
    </StudioContext>
  )
}

/** Opens a dropped recording and attaches any other dropped file to the next message if one can be written. */
function useDroppedFiles(
  openFile: (file: File, otherwise?: () => void) => void,
  canAttach: boolean,
): DroppedFiles & { readonly onDropped: (files: readonly File[]) => void } {
  const [arrived, setArrived] = useState<readonly File[]>([])
  const onTaken = useCallback(() => setArrived([]), [])
  const onDropped = useCallback(
    (files: readonly File[]) => {
      const [first] = files
      const attach = () => {
        setArrived(files)
        if (location.hash.startsWith('#lab')) showPane('chat')
      }
      if (first) openFile(first, canAttach ? attach : undefined)
    },
    [openFile, canAttach],
  )
  return { arrived, onTaken, onDropped }
}

/** Announces the state of the session to screen readers and in the title of the tab. */
function LiveStatus() {
  const { session } = useStudio()
  const { status, connection } = useAgent(session)
  useEffect(() => {
    document.title = `${marks[status] ?? ''}Millrace Studio`
  }, [status])
  const down = connection.state === 'waiting' || connection.state === 'offline'
  return (
    <div className="visually-hidden" role="status">
      {down ? 'The connection was lost; reconnecting.' : announcements[status]}
    </div>
  )
}

/**
 * Checks the server of a session once and again after an unauthorized response, and resumes reading once a token is
 * set.
 */
function useServerAccess({ session, server }: StudioSession): void {
  const access = accessTo(server)
  const { reachability } = useAccess(server)
  const { connection, prompt } = useAgent(session)
  const isLocked = connection.state === 'failed' && connection.error?.details['status'] === 401
  const isStreaming = connection.state === 'streaming'

  useEffect(() => {
    if (access.getSnapshot().reachability === undefined) void access.check()
  }, [access])
  useEffect(() => {
    if (isLocked) void access.check()
  }, [isLocked, access])
  useEffect(() => {
    const isStale = access.getSnapshot().reachability === 'unreachable'
    if (isStreaming && isStale) void access.check()
  }, [isStreaming, access])
  useEffect(() => {
    // The user sends an unsent prompt again.
    if (reachability === 'open' && isLocked && !prompt) void session.watch()
    // Runs only when a token was set. Later failures are shown.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [reachability])
}

interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void
  /** Files can be attached, because a message can be written. */
  readonly canAttach: boolean
}

/** Accepts files that are dropped anywhere on the page and shows a hint while a file is dragged over it. */
function DropZone({ onFiles, canAttach }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    const onDragOver = (event: DragEvent) => {
      if (!hasFile(event)) return
      event.preventDefault()
      setOver(true)
    }
    const onDragLeave = (event: DragEvent) => {
      // Only leaving the window has no related target.
      if (event.relatedTarget === null) setOver(false)
    }
    const onDrop = (event: DragEvent) => {
      if (!hasFile(event)) return
      event.preventDefault()
      setOver(false)
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length > 0) onFiles(files)
    }
    addEventListener('dragover', onDragOver)
    addEventListener('dragleave', onDragLeave)
    addEventListener('drop', onDrop)
    return () => {
      removeEventListener('dragover', onDragOver)
      removeEventListener('dragleave', onDragLeave)
      removeEventListener('drop', onDrop)
    }
  }, [onFiles])
  if (!isOver) return null
  return (
    <div className="drop-zone" aria-hidden="true">
      <p>Drop a recorded run to open it{canAttach && ', or any other file to attach it'}</p>
    </div>
  )
}

/** Shows the parser lab. */
function LabPane({ isShown }: { readonly isShown: boolean }) {
  return (
    <LazyPane as="main" className="lab-pane" label="Parser lab" name="The lab" isShown={isShown}>
      <Lab isShown={isShown} />
    </LazyPane>
  )
}

interface SessionsPaneProps {
  readonly server: string
  readonly isShown: boolean
  readonly onOpen: (id: string) => void
  readonly onNewChat: () => void
}

/** Shows the sessions of the server. */
function SessionsPane({ isShown, ...rest }: SessionsPaneProps) {
  return (
    <LazyPane
      as="nav"
      className="sessions-pane"
      label="Sessions of the server"
      name="The list of sessions"
      isShown={isShown}
    >
      <Sessions isShown={isShown} {...rest} />
    </LazyPane>
  )
}

/** Shows the timeline. */
function TimelinePane({ isShown }: { readonly isShown: boolean }) {
  return (
    <LazyPane
      as="section"
      className="timeline-pane"
      label="Timeline"
      name="The timeline"
      isShown={isShown}
    >
      <Timeline isShown={isShown} />
    </LazyPane>
  )
}
