import { findHiddenCharacters } from 'millrace'
import { useId } from 'react'
import { focusOnMount, useKeptState } from '../../ui/index.ts'
import { HiddenNote, listHidden } from '../arguments/index.ts'
import { findSuspiciousChanges } from './find-suspicious-changes.ts'
import { readArguments } from './read-arguments.ts'
import type { Arguments } from './read-arguments.ts'

interface ArgumentsEditorProps {
  readonly value: unknown
  readonly busy: boolean
  readonly onApprove: (input: Arguments) => void
  readonly onCancel: () => void
}

/** Edits the arguments of a call as JSON before it runs. */
export function ArgumentsEditor({ value, busy, onApprove, onCancel }: ArgumentsEditorProps) {
  const [text, setText] = useKeptState('arguments', toEditableJson(value))
  const id = useId()
  const { input, problem } = readArguments(text)
  const warnings = input ? findSuspiciousChanges(value, input) : []
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (input) onApprove(input)
      }}
    >
      <label htmlFor={id}>
        The arguments of the call; the model is informed that you changed them:
      </label>
      <textarea
        ref={focusOnMount}
        id={id}
        className="code-field"
        dir="ltr"
        rows={Math.max(4, countRows(text))}
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
        <HiddenNote hidden={input ? listHidden(input) : []} isMarked={false} />
        {warnings.map((warning) => (
          <p key={warning}>{warning}</p>
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

/** Approximate number of characters in a row; the style sheet allows narrower fields to grow. */
const ROW_LENGTH = 80

/** Counts the rows of a text, so that the field shows all of it. */
function countRows(text: string): number {
  return text
    .split('\n')
    .reduce((rows, line) => rows + Math.ceil((line.length + 1) / ROW_LENGTH), 0)
}

/** Formats arguments as JSON with escaped hidden characters, which a field cannot mark. */
function toEditableJson(value: unknown): string {
  return findHiddenCharacters(JSON.stringify(value ?? {}, null, 2))
    .map((piece) => (piece.hidden ? toEscapes(piece.text) : piece.text))
    .join('')
}

function toEscapes(text: string): string {
  return text
    .split('')
    .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
