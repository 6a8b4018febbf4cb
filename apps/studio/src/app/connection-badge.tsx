import type { Connection, ConnectionState } from 'millrace/client'
import type { TranscriptStatus } from 'millrace'
import type { Reachability } from '../server/index.ts'

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
export function ConnectionBadge({
  connection,
  status,
  isUnsent,
  serverProblem,
}: ConnectionBadgeProps) {
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
