import type { TranscriptStatus } from 'millrace'
import type { Connection, ConnectionState } from 'millrace/client'
import { useAgent } from 'millrace/react'
import { useServerProblem } from '../chat/notices/index.ts'
import { OpenButton } from '../recordings/index.ts'
import { type Reachability, ServerButton } from '../server/index.ts'
import { useStudio } from '../session/index.ts'
import { Logo, type Pane, panes, PlusIcon } from '../ui/index.ts'

const states: Readonly<Record<ConnectionState, { label: string; tone: string }>> = {
  idle: { label: 'Ready', tone: 'calm' },
  connecting: { label: 'Connecting', tone: 'busy' },
  streaming: { label: 'Live', tone: 'live' },
  waiting: { label: 'Reconnecting', tone: 'warn' },
  offline: { label: 'Offline', tone: 'warn' },
  failed: { label: 'Stopped', tone: 'bad' },
  replaced: { label: 'Replaced', tone: 'bad' },
  closed: { label: 'Closed', tone: 'calm' },
}

const problemLabels: Readonly<Partial<Record<Reachability, string>>> = {
  unauthorized: 'No token',
  unreachable: 'No answer',
  foreign: 'No server',
}

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

/** Returns the label of a failed connection. */
function toFailureLabel({ error }: Connection, isUnsent: boolean): string {
  if (isUnsent) return 'Not sent'
  return error?.code === 'not_found' || error?.code === 'bad_request' ? 'Not found' : 'Stopped'
}

interface ConnectionBadgeProps {
  readonly connection: Connection
  readonly status: TranscriptStatus
  /** The last prompt was not delivered. */
  readonly isUnsent: boolean
  /** Problem between the page and the server, if there is one. */
  readonly serverProblem: Reachability | undefined
}

/** Shows the state of the connection as a label with a color. */
function ConnectionBadge({ connection, status, isUnsent, serverProblem }: ConnectionBadgeProps) {
  if (serverProblem) {
    return (
      <span className="badge" data-tone="warn" data-testid="connection">
        {problemLabels[serverProblem]}
      </span>
    )
  }
  const { label, tone } = states[connection.state]
  const word = connection.state === 'failed' ? toFailureLabel(connection, isUnsent) : label
  const waits = connection.state === 'idle' && status === 'awaiting_tools'
  return (
    <span className="badge" data-tone={waits ? 'warn' : tone} data-testid="connection">
      {waits ? (
        <span>
          Waiting<span className="badge-more"> for you</span>
        </span>
      ) : (
        word
      )}
    </span>
  )
}
