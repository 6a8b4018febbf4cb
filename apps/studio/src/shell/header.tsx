import { useAgent } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'
import { ConnectionBadge } from './connection-badge.tsx'
import { Logo, PlusIcon } from './icons.tsx'
import { panes } from './use-pane.ts'
import type { Pane } from './use-pane.ts'

interface HeaderProps {
  readonly pane: Pane
  readonly onNewChat: () => void
}

/** The name, the state of the connection, the views, and what can always be done. */
export function Header({ pane, onNewChat }: HeaderProps) {
  const { session } = useStudio()
  const { connection, status } = useAgent(session)
  return (
    <header className="header">
      <h1 className="brand">
        <Logo />
        Millrace <span>Studio</span>
      </h1>
      <ConnectionBadge connection={connection} status={status} />
      <nav className="pane-switch" aria-label="Views">
        {Object.entries(panes).map(([name, label]) => (
          <a key={name} href={`#${name}`} aria-current={pane === name ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <button type="button" className="button" onClick={onNewChat}>
        <PlusIcon />
        <span>New chat</span>
      </button>
    </header>
  )
}
