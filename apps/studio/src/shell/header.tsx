import { useAgent } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'
import { ConnectionBadge } from './connection-badge.tsx'
import { Logo, PlusIcon } from './icons.tsx'

/** What a narrow page shows; a wide one shows both. */
export type Pane = 'chat' | 'wire'

const panes: readonly { readonly pane: Pane; readonly label: string }[] = [
  { pane: 'chat', label: 'Chat' },
  { pane: 'wire', label: 'Wire' },
]

interface HeaderProps {
  readonly pane: Pane
  readonly onPane: (pane: Pane) => void
  readonly onNewChat: () => void
}

/** The name, the state of the connection, and what can always be done. */
export function Header({ pane, onPane, onNewChat }: HeaderProps) {
  const { session } = useStudio()
  const { connection, status } = useAgent(session)
  return (
    <header className="header">
      <h1 className="brand">
        <Logo />
        Millrace <span>Studio</span>
      </h1>
      <ConnectionBadge connection={connection} status={status} />
      <div className="pane-switch" role="group" aria-label="Show">
        {panes.map((each) => (
          <button
            key={each.pane}
            type="button"
            aria-pressed={pane === each.pane}
            onClick={() => onPane(each.pane)}
          >
            {each.label}
          </button>
        ))}
      </div>
      <button type="button" className="button" onClick={onNewChat}>
        <PlusIcon />
        <span>New chat</span>
      </button>
    </header>
  )
}
