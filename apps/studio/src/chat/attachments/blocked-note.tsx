import type { Attachment } from './attachment.ts'

interface BlockedNoteProps {
  readonly id: string
  readonly list: readonly Attachment[]
  readonly onLeaveOut: (keys: readonly number[]) => void
}

/** Shows which file keeps the prompt from being sent, with a button that removes it. */
export function BlockedNote({ id, list, onLeaveOut }: BlockedNoteProps) {
  const bad = list.filter(({ problem }) => problem !== undefined)
  const [first] = bad
  if (!first) return null
  const isOne = bad.length === 1
  return (
    <div className="composer-note" data-tone="bad">
      <span id={id} role="status">
        {isOne ? `“${first.name}”` : `${bad.length} files`} cannot be sent. Remove{' '}
        {isOne ? 'it' : 'them'} to send the message.
      </span>
      <button
        type="button"
        className="quiet-button"
        onClick={() => onLeaveOut(bad.map(({ key }) => key))}
      >
        Remove {isOne ? 'it' : 'them'}
      </button>
    </div>
  )
}
