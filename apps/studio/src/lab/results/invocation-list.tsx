import { memo } from 'react'
import type { ToolInvocation } from 'millrace/segments'
import { toPrettyText } from '../../json/index.ts'
import { ToolIcon, useStickToBottom } from '../../ui/index.ts'
import type { CallRecord } from '../run/index.ts'
import { usePage } from './use-page.ts'

/** Lists the calls that are complete, and those that must not run. */
export function InvocationList({ calls }: { readonly calls: readonly CallRecord[] }) {
  const { scrollRef, contentRef } = useStickToBottom(calls.length === 0)
  const { hidden, showMore } = usePage(calls.length)
  const ready = calls.reduce((total, { invocations }) => total + invocations.length, 0)
  return (
    <section className="lab-panel" aria-label="Invocations">
      <header>
        <h2>Invocations</h2>
        <span className="muted">{ready.toLocaleString('en')}</span>
      </header>
      <div className="lab-scroll" ref={scrollRef}>
        <div ref={contentRef}>
          {hidden > 0 && (
            <button type="button" className="quiet-button" onClick={showMore}>
              Show earlier ones ({hidden.toLocaleString('en')} more)
            </button>
          )}
          {calls.length === 0 && <p className="lab-empty">No call has ended yet.</p>}
          <ol className="lab-cards">
            {calls.slice(hidden).map((call) => (
              <Call key={call.segmentId} call={call} />
            ))}
          </ol>
        </div>
      </div>
    </section>
  )
}

const Call = memo(function Call({ call }: { readonly call: CallRecord }) {
  const { invocations, segmentId, reason } = call
  if (reason !== '') {
    return (
      <li className="invocation-card" data-tone="bad">
        <code>{segmentId}</code> {reason}
      </li>
    )
  }
  return invocations.map((invocation) => <Invocation key={invocation.id} invocation={invocation} />)
})

function Invocation({ invocation }: { readonly invocation: ToolInvocation }) {
  const { id, name } = invocation
  return (
    <li className="invocation-card">
      <header>
        <ToolIcon />
        <strong>{name}</strong>
        <code>{id}</code>
      </header>
      <pre tabIndex={0} aria-label={`Arguments of ${id}`}>
        {toPrettyText(JSON.stringify(invocation.arguments))}
      </pre>
    </li>
  )
}
