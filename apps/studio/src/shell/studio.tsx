import { useCallback, useState } from 'react'
import { Chat } from '../chat/chat.tsx'
import { openStudioSession, showInAddress } from '../session/studio-session.ts'
import type { StudioSession } from '../session/studio-session.ts'
import { StudioContext } from '../session/studio-context.ts'
import { Wire } from '../wire/wire.tsx'
import { Header } from './header.tsx'
import { LabPane } from './lab-pane.tsx'
import { LiveStatus } from './live-status.tsx'
import { showPane, usePane } from './use-pane.ts'

/** The whole page: a header, the conversation with the wire beside it, or the lab. */
export function Studio({ first }: { readonly first: StudioSession }) {
  const [studio, setStudio] = useState(first)
  const pane = usePane()
  const startNewChat = useCallback(() => {
    studio.session.close()
    showInAddress(undefined)
    setStudio(openStudioSession())
    showPane('chat')
  }, [studio])
  return (
    <StudioContext value={studio}>
      <div className="studio" data-pane={pane}>
        <Header pane={pane} onNewChat={startNewChat} />
        <main className="chat-pane" aria-label="Conversation">
          <Chat key={studio.session.id} onNewChat={startNewChat} />
        </main>
        <aside className="wire-pane" aria-label="The wire: every frame of the stream">
          <Wire key={studio.session.id} />
        </aside>
        <LabPane isShown={pane === 'lab'} />
        <LiveStatus />
      </div>
    </StudioContext>
  )
}
