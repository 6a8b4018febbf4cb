import { Component } from 'react'
import type { ErrorInfo, ReactNode } from 'react'
import { ErrorPanel } from './error-panel.tsx'
import type { ErrorScope } from './error-panel.tsx'

interface ErrorBoundaryProps {
  /** What is guarded, as the subject of a sentence. */
  readonly name: string
  readonly scope: ErrorScope
  /** What is shown; once it is something else, it is tried again. */
  readonly resetKey?: unknown
  readonly children: ReactNode
}

interface ErrorBoundaryState {
  /** What was thrown, which may be anything, and in which component. */
  readonly thrown: { readonly error: unknown; readonly where: string } | undefined
}

/** Keeps a fault in a part of the page from taking the rest away: a class, since React offers this to no function. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { thrown: undefined }

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { thrown: { error, where: '' } }
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    this.setState({ thrown: { error, where: componentStack ?? '' } })
  }

  // Told after what has just failed, too, and then without effect: that is caught behind it.
  override componentDidUpdate({ resetKey }: ErrorBoundaryProps): void {
    if (this.state.thrown && resetKey !== this.props.resetKey) this.#retry()
  }

  override render(): ReactNode {
    const { name, scope, children } = this.props
    const { thrown } = this.state
    return thrown ? <ErrorPanel {...{ name, scope, ...thrown }} onRetry={this.#retry} /> : children
  }

  readonly #retry = (): void => this.setState({ thrown: undefined })
}
