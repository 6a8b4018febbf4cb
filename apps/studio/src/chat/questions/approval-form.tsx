import { showHiddenCharacters } from 'millrace'
import type { PendingToolHandle } from 'millrace/react'
import { type MouseEvent, useId, useRef } from 'react'
import { toLocalTime } from '../../text/index.ts'
import { focusOnMount, FormProblem, useKeptState } from '../../ui/index.ts'
import { VisibleText } from '../../ui/text/index.ts'
import {
  type ArgumentsVisibility,
  describeShowAll,
  type ShownArguments,
} from '../arguments/index.ts'
import { ArgumentsEditor } from './arguments-editor.tsx'
import { reasonOf, useSendOnce } from './use-send-once.ts'

type Mode = 'asking' | 'editing' | 'denying'

interface ApprovalFormProps {
  readonly pending: PendingToolHandle
  /** The arguments that the card shows. */
  readonly input: ShownArguments
  readonly seen: ArgumentsVisibility
  /** Called when the server has other arguments than those shown. */
  readonly onChanged: () => Promise<void>
}

/**
 * Asks for approval of a call: as it is, with edited arguments, or denied. All arguments are shown before it can be
 * approved.
 */
export function ApprovalForm({ pending, input, seen, onChanged }: ApprovalFormProps) {
  const [mode, setMode] = useKeptState<Mode>('mode', 'asking')
  const formRef = useRef<HTMLElement>(null)
  const { send, busy, problem } = useSendOnce()
  const decide = (...[decision, details]: Parameters<PendingToolHandle['decide']>) =>
    send({
      call: pending,
      kind: toCommandKind(decision, details?.input !== undefined),
      request: () =>
        pending
          .decide(decision, { shown: input.value, ...details })
          .catch(async (error: unknown) => {
            if (reasonOf(error) === 'input_changed') await onChanged()
            throw error
          }),
    })
  const showAll = () => {
    seen.showAll()
    // The form keeps the focus, so that a key that is held down does not approve.
    formRef.current?.focus({ preventScroll: true })
    const start = formRef.current?.closest('.card')
    start?.scrollIntoView({ block: 'start' })
  }
  const choose = (next: Mode) => {
    if (next === 'editing') seen.showAll()
    setMode(next)
  }
  const shared = { busy, onCancel: () => setMode('asking') }
  return (
    <section
      ref={formRef}
      className="pending-form"
      tabIndex={-1}
      aria-label={`Decide on ${showHiddenCharacters(pending.name)}`}
      aria-busy={busy}
    >
      {mode === 'asking' && (
        <Choices
          {...{ pending, busy, seen, onShowAll: showAll, onChoose: choose }}
          onApprove={() => decide('approve')}
        />
      )}
      {mode === 'editing' && (
        <ArgumentsEditor
          {...shared}
          value={input.value}
          onApprove={(changed) => decide('approve', { input: changed })}
        />
      )}
      {mode === 'denying' && (
        <DenialForm
          {...shared}
          onDeny={(reason) => decide('refuse', reason === '' ? {} : { reason })}
        />
      )}
      <FormProblem problem={problem} />
    </section>
  )
}

interface ChoicesProps {
  readonly pending: PendingToolHandle
  readonly busy: boolean
  readonly seen: ArgumentsVisibility
  readonly onApprove: () => void
  readonly onShowAll: () => void
  readonly onChoose: (mode: Mode) => void
}

function Choices({ pending, busy, seen, onApprove, onShowAll, onChoose }: ChoicesProps) {
  const { name, expiresAt } = pending
  const { unseen } = seen
  return (
    <>
      <p className="approval-question">
        <strong>
          Allow{' '}
          <code>
            <VisibleText text={name} isSingleLine />
          </code>{' '}
          to run?
        </strong>{' '}
        The run is paused until you decide.
        {expiresAt !== undefined && (
          <>
            {' The request expires on '}
            <time dateTime={expiresAt}>{toLocalTime(expiresAt)}</time>.
          </>
        )}
      </p>
      <div className="question-actions">
        {unseen ? (
          <button key="show" type="button" className="button" onClick={onShowAll}>
            {describeShowAll(unseen)} to approve
          </button>
        ) : (
          <button
            key="approve"
            type="button"
            className="button primary"
            disabled={busy}
            onClick={ignoreDoubleClick(onApprove)}
          >
            Approve
          </button>
        )}
        <button
          type="button"
          className="button"
          disabled={busy}
          onClick={() => onChoose('editing')}
        >
          Edit
        </button>
        <button
          type="button"
          className="button"
          disabled={busy}
          onClick={() => onChoose('denying')}
        >
          Deny
        </button>
      </div>
    </>
  )
}

/** Converts a decision to the kind of a sent command; a denial is `refuse` on the wire. */
function toCommandKind(decision: 'approve' | 'refuse', isChanged: boolean) {
  if (isChanged) return 'change'
  return decision === 'refuse' ? 'deny' : 'approve'
}

/** Ignores the second click of a double click, since the first may have created the button. */
function ignoreDoubleClick(act: () => void): (event: MouseEvent) => void {
  return ({ detail }) => {
    if (detail <= 1) act()
  }
}

interface DenialFormProps {
  readonly busy: boolean
  readonly onDeny: (reason: string) => void
  readonly onCancel: () => void
}

/** Denies a call, with an optional reason for the model. */
function DenialForm({ busy, onDeny, onCancel }: DenialFormProps) {
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
