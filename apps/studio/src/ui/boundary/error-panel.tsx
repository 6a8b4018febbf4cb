import { AlertIcon, CopyButton } from '../index.ts'
import { describeError } from './describe-error.ts'
import { LoadError } from './load-module.ts'

/** How much of the page a fault has taken: one part of a conversation, a pane, or all. */
export type ErrorScope = 'part' | 'pane' | 'page'

interface ErrorPanelProps {
  /** What cannot be shown, as the subject of a sentence. */
  readonly name: string
  readonly scope: ErrorScope
  readonly error: unknown
  /** The components in which it was thrown. */
  readonly where: string
  readonly onRetry: () => void
}

const reassurance = 'The fault is in this page. What was said is kept, and a run goes on.'

/** Stands where a part of the page has failed: what that means, what can be done, and what to report. */
export function ErrorPanel({ name, scope, error, where, onRetry }: ErrorPanelProps) {
  const isLoadError = error instanceof LoadError
  const isPart = scope === 'part'
  const isPage = scope === 'page'
  const Frame = isPage ? 'main' : 'div'
  const report = describeError(isLoadError ? error.cause : error, where)
  return (
    <Frame
      className="fault"
      data-scope={scope}
      role={isPage ? undefined : 'group'}
      aria-label={name}
    >
      <AlertIcon />
      <div>
        {/* Of many parts that come and go with the view, none calls out. */}
        <div role={isPart ? undefined : 'alert'}>
          <strong>
            {name} {isLoadError ? 'could not be loaded' : 'cannot be shown'}
          </strong>
          <p>{isLoadError ? error.message : reassurance}</p>
        </div>
        <div className="fault-actions">
          {/* What could not be loaded stays so for as long as the page lives. */}
          {!isLoadError && <RetryButton onRetry={onRetry} />}
          {(!isPart || isLoadError) && <ReloadButton />}
        </div>
        <details>
          <summary>What failed</summary>
          <pre tabIndex={0}>{report}</pre>
          <CopyButton text={report} />
        </details>
      </div>
    </Frame>
  )
}

function RetryButton({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <button
      type="button"
      className="button"
      onClick={({ currentTarget }) => {
        keepPlace(currentTarget)
        onRetry()
      }}
    >
      Try again
    </button>
  )
}

function ReloadButton() {
  return (
    <button type="button" className="button" onClick={() => location.reload()}>
      Load the page again
    </button>
  )
}

/** The button goes, whatever comes of it: those who use keys go on from what is around it. */
function keepPlace(button: HTMLElement): void {
  const around = button.closest('.fault')?.parentElement
  if (!around) return
  around.tabIndex = -1
  around.addEventListener('blur', () => around.removeAttribute('tabindex'), { once: true })
  around.focus({ preventScroll: true })
}
