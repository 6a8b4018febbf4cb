import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Modal } from '../ui/index.ts'
import { accessTo, useAccess } from './access.ts'
import type { Reachability } from './check-server.ts'
import { toServerName } from './server-address.ts'
import { findTokenProblem } from './tokens.ts'

const problems: Readonly<Record<Exclude<Reachability, 'open'>, string>> = {
  unauthorized: 'The server rejected this token. Ask its operator for the right one.',
  unreachable: 'The server could not be reached, so the token was not checked.',
  foreign: 'The address does not belong to a Millrace server. The token was not stored.',
}

/** Asks for the token of a server that needs one. */
export function TokenDialog({ server }: { readonly server: string }) {
  const { isAsking } = useAccess(server)
  return isAsking ? <TokenForm key={server} server={server} /> : null
}

function TokenForm({ server }: { readonly server: string }) {
  const access = accessTo(server)
  const { wasRejected } = useAccess(server)
  const [token, setToken] = useState('')
  const [isTrying, setTrying] = useState(false)
  const [problem, setProblem] = useState(
    wasRejected ? 'The server no longer accepts the token of this tab.' : '',
  )
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    const given = token.trim()
    const invalid = findTokenProblem(given)
    if (invalid !== undefined) return setProblem(invalid)
    setTrying(true)
    const reachability = await access.tryToken(given)
    setTrying(false)
    if (reachability !== 'open') setProblem(problems[reachability])
  }
  const close = () => access.askForToken(false)
  return (
    <Modal title="This server requires a token" onClose={close}>
      <form className="token-form" onSubmit={(event) => void submit(event)}>
        <p>
          Enter the token of <strong>{toServerName(server)}</strong>. It is stored for this server
          in this tab until you close it.
        </p>
        <label>
          Token
          <input
            type="password"
            value={token}
            autoComplete="off"
            spellCheck={false}
            aria-invalid={problem !== ''}
            aria-describedby="token-problem"
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        <p id="token-problem" className="form-problem" role="alert">
          {problem}
        </p>
        <div className="modal-actions">
          <button type="button" className="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className="button primary" disabled={isTrying}>
            {isTrying ? 'Trying…' : 'Use the token'}
          </button>
        </div>
      </form>
    </Modal>
  )
}
