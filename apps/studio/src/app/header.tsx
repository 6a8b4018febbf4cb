import { useAgent } from 'millrace/react'
import { useServerProblem } from '../chat/notices/index.ts'
import { OpenButton } from '../recordings/index.ts'
import { ServerButton } from '../server/index.ts'
import { useStudio } from '../session/index.ts'
import { Logo, PlusIcon, panes } from '../ui/index.ts'
import type { Pane } from '../ui/index.ts'
import { ConnectionBadge } from './connection-badge.tsx'

interface HeaderProps {
  readonly pane: Pane
  /** The server of new sessions. */
  readonly server: string
  readonly onServer: (server: string) => void
  readonly onNewChat: () => void
  readonly onFile: (file: File) => void
}

/** Shows the name, the state of the connection, the views and the global actions. */
export function Header({ pane, server, onServer, onNewChat, onFile }: HeaderProps) {
  const { session, readOnly } = useStudio()
  const { connection, status, prompt } = useAgent(session)
  const serverProblem = useServerProblem()
  return (
    <header className="header">
      <h1 className="brand">
        <Logo />
        Millrace <span>Studio</span>
      </h1>
      {readOnly === 'recording' ? (
        <span className="badge" data-testid="connection">
          Recording
        </span>
      ) : (
        <ConnectionBadge
          {...{ connection, status, serverProblem }}
          isUnsent={prompt?.state === 'unsent'}
        />
      )}
      <nav className="pane-switch" aria-label="Views">
        {Object.entries(panes).map(([name, label]) => (
          <a key={name} href={`#${name}`} aria-current={pane === name ? 'page' : undefined}>
            {name === 'lab' ? <LabLabel /> : label}
          </a>
        ))}
      </nav>
      <ServerButton server={server} onChange={onServer} />
      <OpenButton onFile={onFile} />
      <button
        type="button"
        className="button"
        aria-label="New chat"
        title="Start a new conversation"
        onClick={onNewChat}
      >
        <PlusIcon />
        <span>New chat</span>
      </button>
    </header>
  )
}

/** Shows a short label in narrow headers. */
function LabLabel() {
  return (
    <>
      <span className="pane-long">{panes.lab}</span>
      <span className="pane-short">Lab</span>
    </>
  )
}
