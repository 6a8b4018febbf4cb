import { useEffect, useRef, useState } from 'react'
import { accessTo, UnreachableHelp } from '../server/index.ts'
import { useStudio } from '../session/index.ts'
import { moveInList } from './move-in-list.ts'
import { selectRows } from './select-rows.ts'
import { SessionDialog } from './session-dialog.tsx'
import { SessionItem } from './session-item.tsx'
import type { ListProblem } from './session-list.ts'
import type { SessionRow } from './session-row.ts'
import { useMinutes, useSessionList } from './use-session-list.ts'
import './sessions.css'

interface SessionsProps {
  readonly server: string
  readonly isShown: boolean
  readonly onOpen: (id: string) => void
  readonly onNewChat: () => void
}

/** Lists the sessions of the server, the latest first. */
export function Sessions({ server, isShown, onOpen, onNewChat }: SessionsProps) {
  const { session } = useStudio()
  const list = useSessionList({ server, session, isShown })
  const { rows, total, problem } = list
  const [text, setText] = useState('')
  const [managed, setManaged] = useState<SessionRow>()
  const close = () => setManaged(undefined)
  const update = (change: 'renamed' | 'deleted') => {
    if (change === 'deleted' && managed?.id === session.id) onNewChat()
    close()
    list.retry()
  }
  const now = useMinutes()
  const shown = selectRows(rows, text)
  const isFiltered = text.trim() !== ''
  const left = (total ?? 0) - rows.length
  return (
    <div className="sessions">
      <div className="sessions-head">
        <h2>Sessions</h2>
        {total !== undefined && (
          <span className="muted" data-testid="session-count">
            {isFiltered
              ? describeMatches(shown.length, rows.length, left)
              : total.toLocaleString('en')}
          </span>
        )}
        {problem && rows.length > 0 && (
          <button type="button" className="quiet-button sessions-stale" onClick={list.retry}>
            Not up to date · try again
          </button>
        )}
      </div>
      {rows.length > 0 && <Filter text={text} onText={setText} />}
      <div className="sessions-scroll" aria-busy={total === undefined && !problem}>
        {rows.length === 0 && <Placeholder {...{ server, total, problem }} onRetry={list.retry} />}
        <ul aria-label="Sessions">
          {shown.map((row) => (
            <SessionItem
              key={row.id}
              current={row.id === session.id ? session : undefined}
              onManage={setManaged}
              {...{ row, now, onOpen }}
            />
          ))}
        </ul>
        {shown.length === 0 && rows.length > 0 && <NoMatches read={rows.length} left={left} />}
        {left > 0 && rows.length > 0 && (
          <MoreButton
            count={left}
            isReading={list.isReadingMore}
            isAutomatic={isShown && !isFiltered && problem === undefined}
            onMore={list.more}
          />
        )}
      </div>
      {managed && <SessionDialog server={server} row={managed} onClose={close} onChange={update} />}
    </div>
  )
}

/** Describes how many sessions match, and that older ones were not searched. */
function describeMatches(fitting: number, read: number, left: number): string {
  const share = `${fitting} of ${read}`
  return left > 0 ? `${share}, ${left.toLocaleString('en')} not read yet` : share
}

interface FilterProps {
  readonly text: string
  readonly onText: (text: string) => void
}

function Filter({ text, onText }: FilterProps) {
  return (
    <input
      className="sessions-filter"
      type="search"
      value={text}
      placeholder="Find in the list"
      aria-label="Find in the list"
      onKeyDown={moveInList}
      onChange={(event) => onText(event.target.value)}
    />
  )
}

type PlaceholderProps = Pick<ReturnType<typeof useSessionList>, 'total' | 'problem'> & {
  readonly server: string
  readonly onRetry: () => void
}

/** Shows a placeholder without sessions: the problem, or that they are loading. */
function Placeholder({ server, total, problem, onRetry }: PlaceholderProps) {
  if (problem) return <ListProblemPanel {...{ server, problem, onRetry }} />
  if (total === undefined) return <Skeleton />
  return (
    <div className="list-state">
      <strong>No sessions yet</strong>
      <p>All conversations with this server are listed here.</p>
    </div>
  )
}

function NoMatches({ read, left }: { readonly read: number; readonly left: number }) {
  return (
    <p className="list-state">
      {left > 0 ? `No match among the ${read} sessions read so far.` : 'No matches.'}
    </p>
  )
}

function Skeleton() {
  return (
    <div role="status" aria-label="Reading the sessions…">
      {Array.from({ length: 6 }, (_, index) => (
        <div key={index} className="session-ghost" aria-hidden="true">
          <span />
          <span />
        </div>
      ))}
    </div>
  )
}

interface MoreButtonProps {
  readonly count: number
  readonly isReading: boolean
  /** Reads when it scrolls into view. */
  readonly isAutomatic: boolean
  readonly onMore: () => void
}

/** Reads older sessions on click or when it scrolls into view. */
function MoreButton({ count, isReading, isAutomatic, onMore }: MoreButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isAutomatic || isReading || !button.current) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onMore()
      },
      { rootMargin: '120px' },
    )
    observer.observe(button.current)
    return () => observer.disconnect()
  }, [isAutomatic, isReading, onMore])
  return (
    <button
      ref={button}
      type="button"
      className="button more-sessions"
      aria-disabled={isReading}
      onClick={onMore}
    >
      {isReading ? 'Reading…' : `${count.toLocaleString('en')} more`}
    </button>
  )
}

interface ListProblemPanelProps {
  readonly server: string
  readonly problem: ListProblem
  readonly onRetry: () => void
}

/** Shows why there is no list, and the possible actions. */
function ListProblemPanel({
  server,
  problem: { status, message },
  onRetry,
}: ListProblemPanelProps) {
  const { url, askForToken } = accessTo(server)
  if (status === 401) {
    return (
      <div className="list-state" role="status">
        <strong>The server requires a token</strong>
        <p>Enter it to see the sessions.</p>
        <button type="button" className="button primary" onClick={() => askForToken(true)}>
          Enter the token
        </button>
      </div>
    )
  }
  const isForbidden = status === 403 || status === 404
  return (
    <div className="list-state" role="alert">
      <strong>
        {isForbidden ? 'You are not allowed to see the list' : 'The sessions could not be read'}
      </strong>
      {status === 0 && server !== '' ? <UnreachableHelp url={url} /> : <p>{message}</p>}
      {isForbidden && <p>You can still open a conversation by its link.</p>}
      <button type="button" className="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  )
}
