import type { PendingToolHandle } from 'millrace/react'
import { ArgumentsEditor } from './arguments-editor.tsx'
import { FormProblem } from './form-problem.tsx'
import { RefusalForm } from './refusal-form.tsx'
import { useKept } from './rows/keep.ts'
import { useSendOnce } from './use-send-once.ts'

type Mode = 'asking' | 'editing' | 'refusing'

/** Asks the person at the screen whether a call may run: as it is, with other arguments, or not at all. */
export function ApprovalForm({ pending }: { readonly pending: PendingToolHandle }) {
  const [mode, setMode] = useKept<Mode>('mode', 'asking')
  const { send, busy, problem } = useSendOnce()
  const decide = (...[decision, details]: Parameters<PendingToolHandle['decide']>) =>
    send({
      call: pending,
      deed: details?.input ? 'change' : decision,
      request: () => pending.decide(decision, details),
    })
  const shared = { busy, onCancel: () => setMode('asking') }
  return (
    <section
      className="pending-form"
      tabIndex={-1}
      aria-label={`Decide on ${pending.name}`}
      aria-busy={busy}
    >
      {mode === 'asking' && (
        <Choices busy={busy} onApprove={() => decide('approve')} onChoose={setMode} />
      )}
      {mode === 'editing' && (
        <ArgumentsEditor
          {...shared}
          value={pending.input}
          onApprove={(input) => decide('approve', { input })}
        />
      )}
      {mode === 'refusing' && (
        <RefusalForm
          {...shared}
          onRefuse={(reason) => decide('refuse', reason === '' ? {} : { reason })}
        />
      )}
      <FormProblem problem={problem} />
    </section>
  )
}

interface ChoicesProps {
  readonly busy: boolean
  readonly onApprove: () => void
  readonly onChoose: (mode: Mode) => void
}

function Choices({ busy, onApprove, onChoose }: ChoicesProps) {
  const choices = [
    { label: 'Approve', className: 'button primary', choose: onApprove },
    { label: 'Edit', className: 'button', choose: () => onChoose('editing') },
    { label: 'Refuse', className: 'button', choose: () => onChoose('refusing') },
  ]
  return (
    <>
      <p>
        <strong>May this call run?</strong> It waits for your word, however long that takes.
      </p>
      <div className="question-actions">
        {choices.map(({ label, className, choose }) => (
          <button key={label} type="button" {...{ className }} disabled={busy} onClick={choose}>
            {label}
          </button>
        ))}
      </div>
    </>
  )
}
