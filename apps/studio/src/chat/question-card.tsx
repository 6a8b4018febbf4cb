import type { CallBlock } from 'millrace'
import type { PendingToolHandle } from 'millrace/react'
import { QuestionIcon } from '../shell/icons.tsx'
import { readString } from '../text/read-field.ts'
import { EditedMark, inputOf } from './edited-input.tsx'
import { FormProblem } from './form-problem.tsx'
import { LateNote } from './late-note.tsx'
import type { Late } from './use-late.ts'
import { useSendOnce } from './use-send-once.ts'
import type { Sendable } from './use-send-once.ts'

const choices = [
  { answer: 'yes', label: 'Yes', className: 'button primary' },
  { answer: 'no', label: 'No', className: 'button' },
] as const

interface QuestionCardProps {
  readonly block: CallBlock
  readonly pending: PendingToolHandle | undefined
  /** The arguments that a person approved in place of the model's, as JSON. */
  readonly edited: string | undefined
  readonly late: Late
}

/** A question to the person at the screen, and afterwards what they said. */
export function QuestionCard({ block, pending, edited, late }: QuestionCardProps) {
  const question = readString(inputOf(block, edited), 'question')
  const { send, busy, problem } = useSendOnce()
  const answered = pending ? pending.answered?.content : block.result?.text
  return (
    <section
      className="question"
      tabIndex={-1}
      aria-label="A question for you"
      data-open={!answered || undefined}
    >
      <QuestionIcon />
      <div>
        <p>
          {question ?? 'Shall the agent go on?'} <EditedMark edited={edited} />
        </p>
        {answered === undefined ? (
          <div className="question-actions">
            {choices.map(({ answer, label, className }) => (
              <button
                key={answer}
                type="button"
                className={className}
                disabled={busy}
                onClick={() => pending && send(toSendable(pending, answer))}
              >
                {label}
              </button>
            ))}
          </div>
        ) : (
          late.words === undefined && (
            <p className="question-answer">
              {block.result?.isError ? (
                'You did not answer.'
              ) : (
                <>
                  {pending ? 'Sending your answer' : 'You answered'}: <strong>{answered}</strong>
                </>
              )}
            </p>
          )
        )}
        <LateNote late={late} />
        <FormProblem problem={pending && problem} />
      </div>
    </section>
  )
}

function toSendable(call: PendingToolHandle, content: string): Sendable {
  return { call, deed: 'answer', content, request: () => call.answer(content) }
}
