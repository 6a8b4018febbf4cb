import { LatePane } from '../ui/boundary/lazy-pane.tsx'
import { lazyPart } from '../ui/boundary/lazy-component.ts'

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
