import { usePendingTools } from 'millrace/react'
import { useStudio } from '../../session/index.ts'
import { AttachmentList, BlockedNote } from '../attachments/index.ts'
import type { Attachments } from '../attachments/index.ts'

interface ComposerNotesProps {
  readonly attachments: Attachments
  readonly busy: boolean
  /** Sending abandons a pending call. */
  readonly abandonsPending: boolean
  /** Id of the note that names the reason why the prompt cannot be sent. */
  readonly noteId: string
  readonly onLeftOut: () => void
}

/** Shows attachments and notes above the prompt field. */
export function ComposerNotes(props: ComposerNotesProps) {
  const { attachments, busy, abandonsPending, noteId, onLeftOut } = props
  const { list, remove } = attachments
  const leaveOut = (keys: readonly number[]) => {
    for (const key of keys) remove(key)
    onLeftOut()
  }
  return (
    <>
      <AttachmentList {...attachments} onRemove={remove} />
      {list.length > 0 && busy && (
        <p className="composer-note">Files can be sent with the next prompt.</p>
      )}
      {abandonsPending && <AbandonNote />}
      <BlockedNote id={noteId} list={list} onLeaveOut={leaveOut} />
    </>
  )
}

/** Warns that a new message abandons a pending call. */
function AbandonNote() {
  const { session } = useStudio()
  const left = usePendingTools(session).filter(({ answered }) => !answered)
  if (left.length === 0) return null
  const isDecision = left.every(({ approval }) => approval)
  const [one, many] = isDecision ? ['call', 'calls'] : ['question', 'questions']
  return (
    <p className="composer-note" data-tone="warn" role="status">
      Sending this leaves the {left.length === 1 ? one : many}{' '}
      {isDecision ? 'undecided, and nothing is run' : 'unanswered'}.
    </p>
  )
}
