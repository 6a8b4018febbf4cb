import { readDecisions } from 'millrace/client'
import type { DecisionEntry, DecisionPage, Session } from 'millrace/client'
import { useState } from 'react'
import { describeOutcome } from '../session/index.ts'
import { toLocalTime } from '../text/index.ts'
import { VisibleText } from '../ui/text/index.ts'

/** The number of decisions that are read at once. */
const PAGE = 50

/** Lists the decisions on a session's calls from the audit log, read when it is opened. */
export function DecisionList({ session }: { readonly session: Session }) {
  const [page, setPage] = useState<DecisionPage>()
  const [problem, setProblem] = useState<string>()
  const read = async (before?: DecisionPage) => {
    setProblem(undefined)
    try {
      const next = await readDecisions(session, { after: before?.cursor ?? 0, limit: PAGE })
      setPage({ ...next, decisions: [...(before?.decisions ?? []), ...next.decisions] })
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <details
      className="decisions"
      onToggle={({ currentTarget }) => currentTarget.open && void read()}
    >
      <summary>Decisions</summary>
      {page && page.earliest > 1 && (
        <p className="muted">
          The beginning of this session, with its decisions, is no longer kept.
        </p>
      )}
      {page && page.decisions.length > 0 && (
        <ol>
          {page.decisions.map((decision) => (
            <Decision key={decision.id} decision={decision} />
          ))}
        </ol>
      )}
      {page?.decisions.length === 0 && <p className="muted">No call needed a decision yet.</p>}
      {problem !== undefined && <p role="alert">{problem}</p>}
      {page?.hasMore && (
        <button type="button" className="quiet-button" onClick={() => void read(page)}>
          Show more
        </button>
      )}
    </details>
  )
}

function Decision({ decision }: { readonly decision: DecisionEntry }) {
  const { name, outcome, edited, by, at, reason } = decision
  return (
    <li>
      <strong>{describeOutcome(outcome, edited)}</strong>{' '}
      <code>
        <VisibleText text={name} isSingleLine />
      </code>
      {by !== null && (
        <>
          {' by '}
          <VisibleText text={by} isSingleLine />
        </>
      )}
      {reason !== undefined && (
        <>
          : <VisibleText text={reason} />
        </>
      )}
      {at !== undefined && (
        <time className="muted" dateTime={at}>
          {toLocalTime(at)}
        </time>
      )}
    </li>
  )
}
