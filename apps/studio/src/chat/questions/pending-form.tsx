import { useId } from 'react'
import { showHiddenCharacters } from 'millrace'
import type { PendingToolHandle } from 'millrace/react'
import { FormProblem, useKeptState } from '../../ui/index.ts'
import { VisibleText } from '../../ui/text/index.ts'
import { readQuestion } from './read-question.ts'
import { useSendOnce } from './use-send-once.ts'

interface PendingFormProps {
  readonly pending: PendingToolHandle
}

/** Answers a call of an unknown frontend tool by hand, as a question if its input contains one. */
export function PendingForm({ pending }: PendingFormProps) {
  const question = readQuestion(pending.input)
  const { send, busy, problem } = useSendOnce()
  if (pending.answered) return <AnsweredNote />
  const answer = (content: string) =>
    send({ call: pending, kind: 'answer', content, request: () => pending.answer(content) })
  const fail = (content: string) =>
    send({
      call: pending,
      kind: 'fail',
      content,
      request: () => pending.answer(content, { isError: true }),
    })
  return (
    <section
      className="pending-form"
      tabIndex={-1}
      aria-label={
        question ? 'A question for you' : `Answer for ${showHiddenCharacters(pending.name)}`
      }
      aria-busy={busy}
    >
      {question && (
        <p className="asked">
          <VisibleText text={question.text} />
        </p>
      )}
      {question && question.options.length > 0 ? (
        <Options options={question.options} busy={busy} onAnswer={answer} />
      ) : (
        <AnswerField busy={busy} onAnswer={answer} onFail={question ? undefined : fail} />
      )}
      <FormProblem problem={problem} />
    </section>
  )
}

/** Shows that a call is answered while its agent waits for other calls. */
export function AnsweredNote() {
  return (
    <p className="pending-answered">Answered. The agent continues when all calls are answered.</p>
  )
}

interface OptionsProps {
  readonly options: readonly string[]
  readonly busy: boolean
  readonly onAnswer: (answer: string) => void
}

function Options({ options, busy, onAnswer }: OptionsProps) {
  return (
    <div className="question-actions">
      {options.map((option) => (
        <button
          key={option}
          type="button"
          className="button"
          disabled={busy}
          onClick={() => onAnswer(option)}
        >
          <VisibleText text={option} />
        </button>
      ))}
    </div>
  )
}

interface AnswerFieldProps {
  readonly busy: boolean
  readonly onAnswer: (answer: string) => void
  /** Reports a failure; only where a result is given in place of a tool. */
  readonly onFail: ((reason: string) => void) | undefined
}

function AnswerField({ busy, onAnswer, onFail }: AnswerFieldProps) {
  const [text, setText] = useKeptState('answer', '')
  const id = useId()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onAnswer(text)
      }}
    >
      <label htmlFor={id}>
        {onFail
          ? 'This tool runs in the browser and is unknown to this page. Answer in its place:'
          : 'Your answer'}
      </label>
      <textarea
        id={id}
        rows={3}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder={onFail && 'The result, as text or JSON'}
      />
      <div className="question-actions">
        <button type="submit" className="button primary" disabled={busy}>
          {onFail ? 'Send result' : 'Send answer'}
        </button>
        {onFail && (
          <button
            type="button"
            className="button"
            disabled={busy}
            onClick={() => onFail(text || 'The tool is not available.')}
          >
            Report a failure
          </button>
        )}
      </div>
    </form>
  )
}
