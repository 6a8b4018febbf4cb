import { useId } from 'react'
import { focusOnMount, useKeptState } from '../../ui/index.ts'

interface DenialFormProps {
  readonly busy: boolean
  readonly onDeny: (reason: string) => void
  readonly onCancel: () => void
}

/** Denies a call, with an optional reason for the model. */
export function DenialForm({ busy, onDeny, onCancel }: DenialFormProps) {
  const [reason, setReason] = useKeptState('reason', '')
  const id = useId()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onDeny(reason.trim())
      }}
    >
      <label htmlFor={id}>Reason (optional, sent to the model)</label>
      <textarea
        ref={focusOnMount}
        id={id}
        rows={2}
        maxLength={4096}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="question-actions">
        <button type="submit" className="button danger" disabled={busy}>
          Deny
        </button>
        <button type="button" className="button" disabled={busy} onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
