import { UnreachableHelp, accessTo } from '../server/index.ts'
import type { ListProblem } from './session-list.ts'

interface ListProblemPanelProps {
  readonly server: string
  readonly problem: ListProblem
  readonly onRetry: () => void
}

/** Shows why there is no list, and the possible actions. */
export function ListProblemPanel({
  server,
  problem: { status, message },
  onRetry,
}: ListProblemPanelProps) {
  const { url, askForToken } = accessTo(server)
  if (status === 401) {
    return (
      <div className="list-state" role="status">
        <strong>The server requires a token</strong>
        <p>Enter it to see the sessions.</p>
        <button type="button" className="button primary" onClick={() => askForToken(true)}>
          Enter the token
        </button>
      </div>
    )
  }
  const isForbidden = status === 403 || status === 404
  return (
    <div className="list-state" role="alert">
      <strong>
        {isForbidden ? 'You are not allowed to see the list' : 'The sessions could not be read'}
      </strong>
      {status === 0 && server !== '' ? <UnreachableHelp url={url} /> : <p>{message}</p>}
      {isForbidden && <p>You can still open a conversation by its link.</p>}
      <button type="button" className="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  )
}
