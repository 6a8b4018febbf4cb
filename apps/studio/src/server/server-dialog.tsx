import { Modal } from '../ui/index.ts'
import { accessTo, useAccess } from './access.ts'
import type { AccessState } from './access.ts'
import { HealthLine } from './health-line.tsx'
import { ServerForm } from './server-form.tsx'

const reachabilityTexts: Readonly<Record<NonNullable<AccessState['reachability']>, string>> = {
  open: '',
  unauthorized: 'It requires a token.',
  unreachable: 'It does not respond to this page.',
  foreign: 'The address does not belong to a Millrace server.',
}

interface ServerDialogProps {
  /** The current server; empty for the page's own. */
  readonly server: string
  readonly onChange: (server: string) => void
  readonly onClose: () => void
}

/** Shows the current server and switches to another. */
export function ServerDialog({ server, onChange, onClose }: ServerDialogProps) {
  const { url } = accessTo(server)
  const { reachability, health } = useAccess(server)
  return (
    <Modal title="Server" onClose={onClose}>
      <section className="server-now" aria-label="The server in use">
        <p className="server-address">{url}</p>
        <p className="muted">{server === '' ? 'The server of this page' : 'Another server'}</p>
        {reachability !== undefined && reachability !== 'open' && (
          <p>{reachabilityTexts[reachability]}</p>
        )}
        {reachability === 'open' && health && <HealthLine health={health} />}
        <TokenLine server={server} onClose={onClose} />
      </section>
      <ServerForm onChange={onChange} />
      <div className="modal-actions">
        {server !== '' && (
          <button type="button" className="button" onClick={() => onChange('')}>
            Back to this page’s own
          </button>
        )}
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Modal>
  )
}

function TokenLine({ server, onClose }: Pick<ServerDialogProps, 'server' | 'onClose'>) {
  const access = accessTo(server)
  const { hasToken, reachability } = useAccess(server)
  const enter = () => {
    onClose()
    access.askForToken(true)
  }
  if (hasToken) {
    return (
      <p className="server-token">
        A token is sent, from this tab only.
        <button type="button" className="button" onClick={access.forgetToken}>
          Forget the token
        </button>
      </p>
    )
  }
  if (reachability !== 'unauthorized') return null
  return (
    <p className="server-token">
      No token is stored.
      <button type="button" className="button" onClick={enter}>
        Enter the token
      </button>
    </p>
  )
}
