import { lazy, Suspense, useState } from 'react'

const Sessions = lazy(async () => ({
  default: (await import('../sessions/sessions.tsx')).Sessions,
}))

interface SessionsPaneProps {
  readonly server: string
  readonly isShown: boolean
  readonly onOpen: (id: string) => void
}

/** The server's sessions, loaded when they are first shown and kept from then on. */
export function SessionsPane({ server, isShown, onOpen }: SessionsPaneProps) {
  const [wasShown, setWasShown] = useState(isShown)
  if (isShown && !wasShown) setWasShown(true)
  if (!wasShown) return null
  return (
    <nav className="sessions-pane" aria-label="Sessions of the server" hidden={!isShown}>
      <Suspense fallback={null}>
        <Sessions {...{ server, isShown, onOpen }} />
      </Suspense>
    </nav>
  )
}
