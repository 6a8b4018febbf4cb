import { showHiddenCharacters } from 'millrace'
import type { Session } from 'millrace/client'
import { memo, useEffect, useState } from 'react'
import { EditIcon, LinkIcon } from '../ui/index.ts'
import { VisibleText } from '../ui/text/index.ts'
import { DecisionList } from './decision-list.tsx'
import { toAge } from './format-age.ts'
import { moveInList } from './move-in-list.ts'
import type { SessionRow } from './session-row.ts'
import { toStatusLabel } from './status-label.ts'

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
