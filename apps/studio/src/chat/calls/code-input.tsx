import { useHighlight } from '../../markdown/use-highlight.ts'
import { GrowingText } from '../../text/growing-text.tsx'
import { useFollowEnd } from '../use-follow-end.ts'
import type { ShownInput } from './input-shapes.ts'

interface CodeInputProps {
  readonly shown: ShownInput
  readonly growing: boolean
}

/** A file that a call writes, or what it runs: followed while it is written, and read from its beginning then. */
export function CodeInput({ shown, growing }: CodeInputProps) {
  const { label, path, text, language } = shown
  const contentRef = useFollowEnd(growing, { returns: true })
  const coloured = useHighlight(text, language, !growing)
  if (text === '' && !growing) return <p className="muted no-input">Nothing in it</p>
  return (
    <pre className="payload call-code" tabIndex={0} aria-label={path ? `${label} ${path}` : label}>
      <code ref={contentRef}>{coloured ?? <GrowingText text={text} />}</code>
    </pre>
  )
}
