import { useId } from 'react'
import { findSurprises } from './find-surprises.ts'
import { takeFocus } from '../text/take-focus.ts'
import { readArguments } from './read-arguments.ts'
import type { Arguments } from './read-arguments.ts'
import { useKept } from './rows/keep.ts'

interface ArgumentsEditorProps {
  readonly value: unknown
  readonly busy: boolean
  readonly onApprove: (input: Arguments) => void
  readonly onCancel: () => void
}

/** The arguments of a call as JSON, to be changed before it runs. */
export function ArgumentsEditor({ value, busy, onApprove, onCancel }: ArgumentsEditorProps) {
  const [text, setText] = useKept('arguments', JSON.stringify(value ?? {}, null, 2))
  const id = useId()
  const { input, problem } = readArguments(text)
  const surprises = input ? findSurprises(value, input) : []
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (input) onApprove(input)
      }}
    >
      <label htmlFor={id}>
        The arguments it will run with; the model is told that you changed them:
      </label>
      <textarea
        ref={takeFocus}
        id={id}
        className="code-field"
        rows={Math.min(16, Math.max(4, text.split('\n').length))}
        value={text}
        onChange={(event) => setText(event.target.value)}
        spellCheck={false}
        autoCapitalize="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
      />
      <p id={`${id}-problem`} className="form-problem" role="status">
        {problem}
      </p>
      <div className="form-hints" role="status">
        {surprises.map((surprise) => (
          <p key={surprise}>{surprise}</p>
        ))}
      </div>
      <div className="question-actions">
        <button type="submit" className="button primary" disabled={busy || !input}>
          Approve with changes
        </button>
        <button type="button" className="button" disabled={busy} onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
