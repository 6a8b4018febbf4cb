import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { focusOnMount } from '../ui/index.ts'
import { checkServer } from './check-server.ts'
import type { ServerReport } from './check-server.ts'
import { HealthLine } from './health-line.tsx'
import { decodeServer, toServerUrl } from './server-address.ts'
import { readToken, toAuthorization } from './tokens.ts'
import { UnreachableHelp } from './unreachable-help.tsx'

type Outcome =
  | { readonly state: 'checking' }
  | { readonly state: 'wrong'; readonly problem: string }
  | { readonly state: 'checked'; readonly server: string; readonly report: ServerReport }

/** Checks the address of another server and switches to it. */
export function ServerForm({ onChange }: { readonly onChange: (server: string) => void }) {
  const [text, setText] = useState('')
  const [outcome, setOutcome] = useState<Outcome>()
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    const { server, problem } =
      text.trim() === '' ? { problem: 'Enter the address of a server.' } : decodeServer(text)
    if (problem !== undefined) return setOutcome({ state: 'wrong', problem })
    setOutcome({ state: 'checking' })
    const report = await checkServer(toServerUrl(server), toAuthorization(readToken(server)))
    setOutcome({ state: 'checked', server, report })
  }
  return (
    <form className="server-form" onSubmit={(event) => void submit(event)} noValidate>
      <label htmlFor="server-address">Go to another server</label>
      <div className="server-field">
        <input
          id="server-address"
          type="url"
          value={text}
          placeholder="https://mill.example"
          autoComplete="url"
          spellCheck={false}
          aria-invalid={outcome?.state === 'wrong'}
          aria-describedby="server-outcome"
          onChange={(event) => {
            setText(event.target.value)
            setOutcome(undefined)
          }}
        />
        <button type="submit" className="button" disabled={outcome?.state === 'checking'}>
          {outcome?.state === 'checking' ? 'Checking…' : 'Check'}
        </button>
      </div>
      <div id="server-outcome" role="status">
        {outcome?.state === 'wrong' && <p className="form-problem">{outcome.problem}</p>}
        {outcome?.state === 'checked' && <Checked {...outcome} onChange={onChange} />}
      </div>
    </form>
  )
}

interface CheckedProps {
  readonly server: string
  readonly report: ServerReport
  readonly onChange: (server: string) => void
}

function Checked({ server, report: { reachability, health }, onChange }: CheckedProps) {
  if (reachability === 'foreign') {
    return (
      <p className="form-problem">Something responds there, but it is not a Millrace server.</p>
    )
  }
  if (reachability === 'unreachable') {
    return (
      <>
        <p className="form-problem">No response that this page can read.</p>
        <UnreachableHelp url={toServerUrl(server)} />
      </>
    )
  }
  return (
    <div className="server-found">
      <div>
        {health && <HealthLine health={health} />}
        {reachability === 'unauthorized' && <p className="muted">It will ask for its token.</p>}
      </div>
      <button
        type="button"
        className="button primary"
        ref={focusOnMount}
        onClick={() => onChange(server)}
      >
        Use this server
      </button>
    </div>
  )
}
