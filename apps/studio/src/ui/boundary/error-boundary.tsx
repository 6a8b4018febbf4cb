import { Component } from 'react'
import type { ErrorInfo, ReactNode } from 'react'
import { Fault } from './error-panel.tsx'
import type { FaultScope } from './error-panel.tsx'

interface GuardProps {
  /** What is guarded, as the subject of a sentence. */
  readonly name: string
  readonly scope: FaultScope
  /** What is shown; once it is something else, it is tried again. */
  readonly shows?: unknown
  readonly children: ReactNode
}

interface GuardState {
  /** What was thrown, which may be anything, and in which component. */
  readonly thrown: { readonly error: unknown; readonly where: string } | undefined
}

/** Keeps a fault in a part of the page from taking the rest away: a class, since React offers this to no function. */
export class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = { thrown: undefined }

  static getDerivedStateFromError(error: unknown): GuardState {
    return { thrown: { error, where: '' } }
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    this.setState({ thrown: { error, where: componentStack ?? '' } })
  }

  // Told after what has just failed, too, and then without effect: that is caught behind it.
  override componentDidUpdate({ shows }: GuardProps): void {
    if (this.state.thrown && shows !== this.props.shows) this.#retry()
  }

  override render(): ReactNode {
    const { name, scope, children } = this.props
    const { thrown } = this.state
    return thrown ? <Fault {...{ name, scope, ...thrown }} onRetry={this.#retry} /> : children
  }

  readonly #retry = (): void => this.setState({ thrown: undefined })
}
