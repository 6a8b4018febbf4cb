import { Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { ErrorBoundary } from './error-boundary.tsx'

interface LazyPaneProps {
  /** Landmark of the pane. */
  readonly as: 'main' | 'nav' | 'section'
  readonly className: string
  readonly label: string
  /** Name of the content, as the subject of a sentence. */
  readonly name: string
  readonly isShown: boolean
  readonly children: ReactNode
}

/** Shows a pane that is loaded when it is first shown, and then kept. */
export function LazyPane({ as: Tag, className, label, name, isShown, children }: LazyPaneProps) {
  const [wasShown, setWasShown] = useState(isShown)
  if (isShown && !wasShown) setWasShown(true)
  if (!wasShown) return null
  return (
    <Tag {...{ className }} aria-label={label} hidden={!isShown}>
      <ErrorBoundary {...{ name }} scope="pane" resetKey={isShown}>
        <Suspense fallback={<Opening />}>{children}</Suspense>
      </ErrorBoundary>
    </Tag>
  )
}

function Opening() {
  return (
    <p className="pane-opening" role="status">
      <span className="ripple" aria-hidden="true" />
      Opening…
    </p>
  )
}
