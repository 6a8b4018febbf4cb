import { Component } from 'react'
import type { ReactNode } from 'react'
import { Fault } from './fault.tsx'
import type { FaultScope } from './fault.tsx'

interface GuardProps {
  /** What is guarded, as the subject of a sentence. */
  readonly name: string
  readonly scope: FaultScope
  readonly children: ReactNode
}

interface GuardState {
  /** What was thrown; anything may be. */
  readonly thrown: { readonly error: unknown } | undefined
}

/** Keeps a fault in a part of the page from taking the rest away: a class, since React offers this to no function. */
export class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = { thrown: undefined }

  static getDerivedStateFromError(error: unknown): GuardState {
    return { thrown: { error } }
  }

  override render(): ReactNode {
    const { name, scope, children } = this.props
    const { thrown } = this.state
    if (!thrown) return children
    const onRetry = () => this.setState({ thrown: undefined })
    return <Fault {...{ name, scope, onRetry }} error={thrown.error} />
  }
}
