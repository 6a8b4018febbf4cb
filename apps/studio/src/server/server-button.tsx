import { useState } from 'react'
import { Modal, ServerIcon } from '../ui/index.ts'
import { type AccessState, accessTo, useAccess } from './access.ts'
import { HealthLine } from './health-line.tsx'
import { toServerName } from './server-address.ts'
import { ServerForm } from './server-form.tsx'

const reachabilityTexts: Readonly<Record<NonNullable<AccessState['reachability']>, string>> = {
  open: '',
  unauthorized: 'It requires a token.',
  unreachable: 'It does not respond to this page.',
  foreign: 'The address does not belong to a Millrace server.',
}

interface ServerButtonProps {
  readonly server: string
  readonly onChange: (server: string) => void
}

/** Shows the name of another server and opens the server dialog. */
export function ServerButton({ server, onChange }: ServerButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const { reachability } = useAccess(server)
  const name = server === '' ? 'this page’s own' : toServerName(server)
  const isTrouble = reachability !== undefined && reachability !== 'open'
  return (
    <>
      <button
        type="button"
        className="button server-button"
        title={`Server: ${name}`}
        aria-label={`Server: ${name}`}
        aria-haspopup="dialog"
        data-tone={isTrouble ? 'warn' : undefined}
        data-foreign={server !== '' || undefined}
        onClick={() => {
          void accessTo(server).check({ isQuiet: true })
          setOpen(true)
        }}
      >
        <ServerIcon />
        {server !== '' && <span className="server-name">{name}</span>}
      </button>
      {isOpen && (
        <ServerDialog
          server={server}
          onClose={() => setOpen(false)}
          onChange={(next) => {
            setOpen(false)
            onChange(next)
          }}
        />
      )}
    </>
  )
}

interface ServerDialogProps {
  /** The current server; empty for the page's own. */
  readonly server: string
  readonly onChange: (server: string) => void
  readonly onClose: () => void
}

/** Shows the current server and switches to another. */
function ServerDialog({ server, onChange, onClose }: ServerDialogProps) {
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
