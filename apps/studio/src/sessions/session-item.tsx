import { showHiddenCharacters } from 'millrace'
import { type DecisionEntry, type DecisionPage, readDecisions, type Session } from 'millrace/client'
import { memo, useEffect, useState } from 'react'
import { describeOutcome } from '../session/index.ts'
import { toLocalTime } from '../text/index.ts'
import { EditIcon, LinkIcon } from '../ui/index.ts'
import { VisibleText } from '../ui/text/index.ts'
import { toAge } from './format-age.ts'
import { moveInList } from './move-in-list.ts'
import type { SessionRow } from './session-row.ts'
import { toStatusLabel } from './status-label.ts'

/** The number of decisions that are read at once. */
const PAGE = 50

interface SessionItemProps {
  readonly row: SessionRow
  /** The session that the page shows, if it is this one. */
  readonly current: Session | undefined
  readonly now: number
  readonly onOpen: (id: string) => void
  /** Called to rename or delete the session. */
  readonly onManage: (row: SessionRow) => void
}

/** Shows a session: title, state and link. */
export const SessionItem = memo(function SessionItem({
  row,
  current,
  now,
  onOpen,
  onManage,
}: SessionItemProps) {
  const { id, title, agent, updatedAt, runs } = row
  const isCurrent = current !== undefined
  const { label, tone } = toStatusLabel(row)
  const link = toSessionLink(id)
  return (
    <li className="session" data-current={isCurrent || undefined}>
      <a
        href={link}
        aria-current={isCurrent || undefined}
        title={title && showHiddenCharacters(title)}
        onKeyDown={moveInList}
        onClick={(event) => {
          // The browser opens new tabs and windows.
          if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
          event.preventDefault()
          onOpen(id)
        }}
      >
        <strong className="session-title">
          <VisibleText text={title || 'Untitled'} isSingleLine />
        </strong>
        <span className="session-facts">
          <span className="session-status" data-tone={tone}>
            {label}
          </span>
          {agent !== undefined && <span>{agent}</span>}
          {runs !== undefined && <span>{runs === 1 ? '1 run' : `${runs} runs`}</span>}
          {title === undefined && <span>{id.slice(0, 8)}</span>}
          {updatedAt !== undefined && (
            <time
              dateTime={new Date(updatedAt).toISOString()}
              title={new Date(updatedAt).toLocaleString()}
            >
              {toAge(updatedAt, now)}
            </time>
          )}
        </span>
      </a>
      {title !== undefined && (
        <button
          type="button"
          className="quiet-button session-copy session-manage"
          title="Rename or delete"
          aria-label={`Rename or delete ${title || id}`}
          onClick={() => onManage(row)}
        >
          <EditIcon />
        </button>
      )}
      <CopyLink link={link} name={title || id} />
      {current && <DecisionList session={current} />}
    </li>
  )
})

/** Returns the address of this page with another session. */
function toSessionLink(id: string): string {
  const url = new URL(location.href)
  url.searchParams.set('session', id)
  url.searchParams.delete('recording')
  url.hash = ''
  return url.href
}

function CopyLink({ link, name }: { readonly link: string; readonly name: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    // Browsers only offer the clipboard on secure origins and may deny it.
    void navigator.clipboard?.writeText(link).then(
      () => setCopied(true),
      () => {},
    )
  }
  return (
    <button
      type="button"
      className="quiet-button session-copy"
      title="Copy the link"
      aria-label={`Copy the link to ${name}`}
      onClick={copy}
    >
      {isCopied ? 'Copied' : <LinkIcon />}
    </button>
  )
}

/** Lists the decisions on a session's calls from the audit log, read when it is opened. */
function DecisionList({ session }: { readonly session: Session }) {
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
