import type { CallBlock } from 'millrace'
import type { PendingToolHandle } from 'millrace/react'
import { readString } from '../../json/index.ts'
import { FormProblem, QuestionIcon } from '../../ui/index.ts'
import { VisibleText } from '../../ui/text/index.ts'
import { EditedMark, inputOf } from '../arguments/index.ts'
import { ConflictNote } from './conflict.tsx'
import type { Conflict } from './conflict.tsx'
import { AnsweredNote } from './pending-form.tsx'
import { useSendOnce } from './use-send-once.ts'
import type { Sendable } from './use-send-once.ts'

const choices = [
  { answer: 'yes', label: 'Yes', className: 'button primary' },
  { answer: 'no', label: 'No', className: 'button' },
] as const

interface QuestionCardProps {
  readonly block: CallBlock
  readonly pending: PendingToolHandle | undefined
  /** The edited arguments that a user approved, as JSON. */
  readonly edited: string | undefined
  readonly conflict: Conflict
}

/** Shows a question to the user, and later the answer. */
export function QuestionCard({ block, pending, edited, conflict }: QuestionCardProps) {
  const question = readString(inputOf(block, edited), 'question')
  const { send, busy, problem } = useSendOnce()
  const answer = pending
    ? pending.answered?.content
    : (block.result?.text ?? conflict.sent?.content)
  const isOpen = answer === undefined && pending !== undefined
  return (
    <section
      className="question"
      tabIndex={-1}
      aria-label="A question for you"
      data-open={isOpen || undefined}
    >
      <QuestionIcon />
      <div>
        <p>
          <VisibleText text={question ?? 'Should the agent continue?'} />{' '}
          <EditedMark edited={edited} />
        </p>
        {isOpen ? (
          <div className="question-actions">
            {choices.map(({ answer: choice, label, className }) => (
              <button
                key={choice}
                type="button"
                className={className}
                disabled={busy}
                onClick={() => send(toSendable(pending, choice))}
              >
                {label}
              </button>
            ))}
          </div>
        ) : (
          conflict.text === undefined && <Answer {...{ block, pending, answer }} />
        )}
        <ConflictNote conflict={conflict} />
        <FormProblem problem={pending && problem} />
      </div>
    </section>
  )
}

interface AnswerProps extends Pick<QuestionCardProps, 'block' | 'pending'> {
  readonly answer: string | undefined
}

function Answer({ block: { result }, pending, answer }: AnswerProps) {
  // An answer of another page is shown with the result.
  if (answer === undefined) return <AnsweredNote />
  return (
    <p className="question-answer">
      {result?.isError ? (
        'You did not answer.'
      ) : (
        <>
          {pending ? 'Sending your answer' : 'You answered'}: <strong>{answer}</strong>
        </>
      )}
    </p>
  )
}

function toSendable(call: PendingToolHandle, content: string): Sendable {
  return { call, kind: 'answer', content, request: () => call.answer(content) }
}
