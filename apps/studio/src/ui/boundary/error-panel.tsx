import { AlertIcon, CopyButton } from '../index.ts'
import { describeError } from './describe-error.ts'
import { LoadError } from './load-module.ts'

/** Extent of an error: a part of a session, a pane, or the page. */
export type ErrorScope = 'part' | 'pane' | 'page'

interface ErrorPanelProps {
  /** Name of the content, as the subject of a sentence. */
  readonly name: string
  readonly scope: ErrorScope
  readonly error: unknown
  /** Component stack of the error. */
  readonly where: string
  readonly onRetry: () => void
}

const reassurance = 'The error is in this page. The conversation is stored, and a run continues.'

/** Shows that a part of the page failed, the possible actions, and a report. */
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
        {/* Parts that scroll in and out of view are not announced. */}
        <div role={isPart ? undefined : 'alert'}>
          <strong>
            {name} {isLoadError ? 'could not be loaded' : 'cannot be shown'}
          </strong>
          <p>{isLoadError ? error.message : reassurance}</p>
        </div>
        <div className="fault-actions">
          {/* A module that failed to load fails until the page is reloaded. */}
          {!isLoadError && <RetryButton onRetry={onRetry} />}
          {(!isPart || isLoadError) && <ReloadButton />}
        </div>
        <details>
          <summary>Details</summary>
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
        focusAround(currentTarget)
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
      Reload the page
    </button>
  )
}

/** Moves the focus to the surrounding element, because the button disappears. */
function focusAround(button: HTMLElement): void {
  const around = button.closest('.fault')?.parentElement
  if (!around) return
  around.tabIndex = -1
  around.addEventListener('blur', () => around.removeAttribute('tabindex'), { once: true })
  around.focus({ preventScroll: true })
}
