import type { HiddenCharacter } from 'millrace'
import { truncate } from '../../text/index.ts'
import { VisibleText, describeHidden } from '../../ui/text/index.ts'
import type { Lookalike } from './list-lookalikes.ts'

/** The number of kinds of characters that the note names. */
const MAX_NAMED = 4
/** Longer words are truncated. */
const MAX_WORD = 40

interface HiddenNoteProps {
  readonly hidden: readonly HiddenCharacter[]
  /** The characters are marked in a text below. */
  readonly isMarked?: boolean
}

/** Warns about hidden characters in a call. */
export function HiddenNote({ hidden, isMarked = true }: HiddenNoteProps) {
  if (hidden.length === 0) return null
  const count = hidden.reduce((sum, each) => sum + each.count, 0)
  const named = hidden.slice(0, MAX_NAMED).map(describeHidden)
  const others = hidden.length > MAX_NAMED ? '; and others' : ''
  return (
    <p className="hidden-note">
      <strong>
        Contains {count.toLocaleString('en')} hidden {count === 1 ? 'character' : 'characters'}
      </strong>
      {isMarked && ', marked below'}: {named.join('; ')}
      {others}.
    </p>
  )
}

/** Warns about words that mix letters of two scripts, such as a Cyrillic letter in a Latin word. */
export function LookalikeNote({ lookalikes }: { readonly lookalikes: readonly Lookalike[] }) {
  if (lookalikes.length === 0) return null
  const named = lookalikes.map(({ word, label }) => `${truncate(word, MAX_WORD)} (${label})`)
  return (
    <p className="hidden-note">
      <strong>Mixes alphabets</strong>, so a word may not be what it looks like:{' '}
      <VisibleText text={named.join('; ')} isSingleLine />.
    </p>
  )
}
