import type { ClipboardEvent } from 'react'

interface TextFieldProps {
  readonly text: string
  readonly onText: (text: string) => void
}

/** Pasting takes quadratic time in browsers; longer texts are inserted by the page. */
const LONG_PASTE = 10_000

/** Edits the text to parse. */
export function TextField({ text, onText }: TextFieldProps) {
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData('text/plain').replaceAll('\r\n', '\n')
    if (pasted.length < LONG_PASTE) return
    event.preventDefault()
    const { value, selectionStart, selectionEnd } = event.currentTarget
    onText(value.slice(0, selectionStart) + pasted + value.slice(selectionEnd))
  }
  return (
    <label className="field grows">
      <span>Text</span>
      <textarea
        value={text}
        spellCheck={false}
        autoCapitalize="off"
        placeholder="Paste the output of a model"
        onPaste={onPaste}
        onChange={(event) => onText(event.target.value)}
      />
    </label>
  )
}
