import { useCallback, useState } from 'react'
import { Chat } from '../chat/chat.tsx'
import { openStudioSession, showInAddress } from '../session/studio-session.ts'
import type { StudioSession } from '../session/studio-session.ts'
import { StudioContext } from '../session/studio-context.ts'
import { Wire } from '../wire/wire.tsx'
import { Header } from './header.tsx'
import type { Pane } from './header.tsx'
import { LiveStatus } from './live-status.tsx'

/** The whole page: a header, the conversation, and the wire beside it. */
export function Studio({ first }: { readonly first: StudioSession }) {
  const [studio, setStudio] = useState(first)
  const [pane, setPane] = useState<Pane>('chat')
  const startNewChat = useCallback(() => {
    studio.session.close()
    showInAddress(undefined)
    setStudio(openStudioSession())
    setPane('chat')
  }, [studio])
  return (
    <StudioContext value={studio}>
      <div className="studio" data-pane={pane}>
        <Header pane={pane} onPane={setPane} onNewChat={startNewChat} />
        <main className="chat-pane" aria-label="Conversation">
          <Chat key={studio.session.id} onNewChat={startNewChat} />
        </main>
        <aside className="wire-pane" aria-label="The wire: every frame of the stream">
          <Wire key={studio.session.id} />
        </aside>
        <LiveStatus />
      </div>
    </StudioContext>
  )
}
