import { showHiddenCharacters } from 'millrace'
import { Payload } from '../../ui/text/index.ts'
import type { PayloadView } from '../../ui/text/index.ts'
import type { ShownInput } from './input-shapes.ts'

interface CodeInputProps {
  readonly shown: ShownInput
  readonly growing: boolean
  readonly view: PayloadView
}

/**
 * Shows a file that a call writes, or code that it runs. Follows the end while the text grows, then returns to its
 * beginning.
 */
export function CodeInput({ shown, growing, view }: CodeInputProps) {
  const { label, path, text, language } = shown
  if (text === '' && !growing) return <p className="muted no-input">Nothing in it</p>
  return (
    <Payload
      returns
      label={path ? `${label} ${showHiddenCharacters(path)}` : label}
      {...{ text, language, growing, view }}
    />
  )
}
