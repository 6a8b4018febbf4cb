import { findHiddenCharacters } from 'millrace'
import type { HiddenCharacter } from 'millrace'

interface VisibleTextProps {
  readonly text: string
  /** The text is a single line, such as a name or a path; line breaks and tabs are marked as well. */
  readonly isSingleLine?: boolean
}

/** Draws a text of a model or a tool with marks for hidden characters. */
export function VisibleText({ text, isSingleLine = false }: VisibleTextProps) {
  return findHiddenCharacters(text, { isSingleLine }).map((piece, index) =>
    piece.hidden ? <HiddenMark key={index} hidden={piece.hidden} /> : piece.text,
  )
}

function HiddenMark({ hidden }: { readonly hidden: HiddenCharacter }) {
  const description = describeHidden(hidden)
  const { label, count } = hidden
  return (
    <span className="hidden-mark" role="img" title={description} aria-label={description}>
      {count === 1 ? label : `${label} ×${count.toLocaleString('en')}`}
    </span>
  )
}

/** Describes a hidden character, such as `Zero-width space, U+200B, 3 times`. */
export function describeHidden({ label, name, count }: HiddenCharacter): string {
  const times = count === 1 ? '' : `, ${count.toLocaleString('en')} times`
  return `${name}, ${label}${times}`
}
