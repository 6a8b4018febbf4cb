import { AlertIcon } from '../shell/icons.tsx'
import { CopyButton } from '../text/copy-button.tsx'
import { LoadError } from './load-part.ts'

/** How much of the page a fault has taken: one part of a conversation, a pane, or all. */
export type FaultScope = 'part' | 'pane' | 'page'

interface FaultProps {
  /** What cannot be shown, as the subject of a sentence. */
  readonly name: string
  readonly scope: FaultScope
  readonly error: unknown
  readonly onRetry: () => void
}

/** What a fault of this page means for the person in front of it. */
const comforts: Readonly<Record<FaultScope, string>> = {
  part: 'The fault is in this page. What was said is on the wire, and the rest goes on.',
  pane: 'The fault is in this page. The conversation is kept on the server, and a run goes on.',
  page: 'The fault is in this page. The conversation is kept on the server, and a run goes on.',
}

/** Stands where a part of the page has failed: what that means, what can be done, and what to report. */
export function Fault({ name, scope, error, onRetry }: FaultProps) {
  // A browser asks only once for a script that it did not get.
  const isLate = error instanceof LoadError
  const title = isLate ? `${name} could not be loaded` : `${name} cannot be shown`
  const told = describe(isLate ? error.cause : error)
  return (
    <section className="fault" data-scope={scope} role="alert">
      <AlertIcon />
      <div>
        <strong>{title}</strong>
        <p>{isLate ? error.message : comforts[scope]}</p>
        <div className="fault-actions">
          {!isLate && (
            <button type="button" className="button" onClick={onRetry}>
              Try again
            </button>
          )}
          {scope !== 'part' && (
            <button type="button" className="button" onClick={() => location.reload()}>
              Load the page again
            </button>
          )}
        </div>
        <details>
          <summary>What failed</summary>
          <pre tabIndex={0}>{told}</pre>
          <CopyButton text={told} />
        </details>
      </div>
    </section>
  )
}

/** All that helps to find a fault; in some browsers the stack does not begin with the message. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { stack = '' } = error
  const head = String(error)
  return stack.startsWith(head) ? stack : `${head}\n${stack}`
}
