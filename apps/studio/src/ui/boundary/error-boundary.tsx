import { Component } from 'react'
import type { ErrorInfo, ReactNode } from 'react'
import { ErrorPanel } from './error-panel.tsx'
import type { ErrorScope } from './error-panel.tsx'

interface ErrorBoundaryProps {
  /** Name of the content, as the subject of a sentence. */
  readonly name: string
  readonly scope: ErrorScope
  /** The content is rendered again when this changes. */
  readonly resetKey?: unknown
  readonly children: ReactNode
}

interface ErrorBoundaryState {
  /** The thrown value and its component. */
  readonly thrown: { readonly error: unknown; readonly where: string } | undefined
}

/** Catches errors of its children and shows a panel instead. React only supports this in classes. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { thrown: undefined }

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { thrown: { error, where: '' } }
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    this.setState({ thrown: { error, where: componentStack ?? '' } })
  }

  // Also called after an error that was just caught; that one is caught again.
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
