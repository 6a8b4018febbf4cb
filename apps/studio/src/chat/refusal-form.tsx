import { useId } from 'react'
import { takeFocus } from '../text/take-focus.ts'
import { useKept } from './rows/keep.ts'

interface RefusalFormProps {
  readonly busy: boolean
  readonly onRefuse: (reason: string) => void
  readonly onCancel: () => void
}

/** Why a call may not run, in words for the model; they may be left out. */
export function RefusalForm({ busy, onRefuse, onCancel }: RefusalFormProps) {
  const [reason, setReason] = useKept('reason', '')
  const id = useId()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onRefuse(reason.trim())
      }}
    >
      <label htmlFor={id}>Why not? The model reads it. You may leave it empty.</label>
      <textarea
        ref={takeFocus}
        id={id}
        rows={2}
        maxLength={4096}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="question-actions">
        <button type="submit" className="button danger" disabled={busy}>
          Refuse
        </button>
        <button type="button" className="button" disabled={busy} onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
