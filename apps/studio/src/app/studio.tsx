import { Chat } from '../chat/index.ts'
import { OpeningNotice } from '../recordings/index.ts'
import { TokenDialog } from '../server/index.ts'
import { StudioContext, useShownSession } from '../session/index.ts'
import { ErrorBoundary } from '../ui/boundary/index.ts'
import { usePane } from '../ui/index.ts'
import { Wire } from '../wire/index.ts'
import { DropZone } from './drop-zone.tsx'
import { Header } from './header.tsx'
import { LabPane, SessionsPane, TimelinePane } from './lazy-panes.tsx'
import { LiveStatus } from './live-status.tsx'
import { useDroppedFiles } from './use-dropped-files.ts'
import { useOpenSession } from './use-open-session.ts'
import { useServerAccess } from './use-server-access.ts'

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
