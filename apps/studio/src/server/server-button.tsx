import { useState } from 'react'
import { ServerIcon } from '../ui/index.ts'
import { accessTo, useAccess } from './access.ts'
import { toServerName } from './server-address.ts'
import { ServerDialog } from './server-dialog.tsx'

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
