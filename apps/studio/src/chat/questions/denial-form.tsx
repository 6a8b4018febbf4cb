import { useId } from 'react'
import { takeFocus, useKept } from '../../ui/index.ts'

interface RefusalFormProps {
  readonly busy: boolean
  readonly onRefuse: (reason: string) => void
  readonly onCancel: () => void
}

/** Refuses a call, with a reason for the model or without. */
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
      <label htmlFor={id}>Reason (optional, sent to the model)</label>
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
