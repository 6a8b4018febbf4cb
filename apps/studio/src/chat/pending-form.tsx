import { useId } from 'react'
import type { PendingToolHandle } from 'millrace/react'
import { FormProblem } from './form-problem.tsx'
import { useKept } from './rows/keep.ts'
import { useSendOnce } from './use-send-once.ts'

/** Answers a call by hand: for tools of the browser that this page does not know. */
export function PendingForm({ pending }: { readonly pending: PendingToolHandle }) {
  const [text, setText] = useKept('answer', '')
  const id = useId()
  const { send, busy, problem } = useSendOnce()
  if (pending.answered)
    return <p className="muted">Answered; the agent goes on when all calls are.</p>
  return (
    <form
      className="pending-form"
      tabIndex={-1}
      aria-label={`Answer for ${pending.name}`}
      onSubmit={(event) => {
        event.preventDefault()
        send(() => pending.answer(text))
      }}
    >
      <label htmlFor={id}>
        This tool runs in the browser, and this page does not know it. Answer in its place:
      </label>
      <textarea
        id={id}
        rows={3}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder="The result, as text or JSON"
      />
      <div className="question-actions">
        <button type="submit" className="button primary" disabled={busy}>
          Send result
        </button>
        <button
          type="button"
          className="button"
          disabled={busy}
          onClick={() =>
            send(() => pending.answer(text || 'The tool is not available.', { isError: true }))
          }
        >
          Report a failure
        </button>
      </div>
      <FormProblem problem={problem} />
    </form>
  )
}
