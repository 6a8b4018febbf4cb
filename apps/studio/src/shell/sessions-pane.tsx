import { LatePane } from '../guard/late-pane.tsx'
import { lazyPart } from '../guard/lazy-part.ts'

const Sessions = lazyPart(async () => (await import('../sessions/sessions.tsx')).Sessions)

interface SessionsPaneProps {
  readonly server: string
  readonly isShown: boolean
  readonly onOpen: (id: string) => void
  readonly onNewChat: () => void
}

/** The server's sessions. */
export function SessionsPane({ isShown, ...rest }: SessionsPaneProps) {
  return (
    <LatePane
      as="nav"
      className="sessions-pane"
      label="Sessions of the server"
      name="The list of sessions"
      isShown={isShown}
    >
      <Sessions isShown={isShown} {...rest} />
    </LatePane>
  )
}
