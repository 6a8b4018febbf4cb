import { AttachmentList } from '../attachments/attachment-list.tsx'
import { BlockedNote } from '../attachments/blocked-note.tsx'
import type { Attachments } from '../attachments/use-attachments.ts'
import { LeavingNote } from './leaving-note.tsx'

interface ComposerNotesProps {
  readonly attachments: Attachments
  readonly busy: boolean
  /** Sending gives up what waits for someone. */
  readonly isLeaving: boolean
  /** Of what keeps the question from being sent. */
  readonly noteId: string
  readonly onLeftOut: () => void
}

/** What goes along with a question, and what is to be known before it is sent. */
export function ComposerNotes(props: ComposerNotesProps) {
  const { attachments, busy, isLeaving, noteId, onLeftOut } = props
  const { list, remove } = attachments
  const leaveOut = (keys: readonly number[]) => {
    for (const key of keys) remove(key)
    onLeftOut()
  }
  return (
    <>
      <AttachmentList {...attachments} onRemove={remove} />
      {list.length > 0 && busy && (
        <p className="composer-note">Files can be sent with the next question.</p>
      )}
      {isLeaving && <LeavingNote />}
      <BlockedNote id={noteId} list={list} onLeaveOut={leaveOut} />
    </>
  )
}
