import { useMemo } from 'react'
import { clipText } from '../../text/index.ts'
import { useFollowEnd } from '../index.ts'
import { FoldedText } from './folded-text.tsx'

/** The drawn part of a text: all in a scrolling box, the beginning in a card, or all of it. */
export type PayloadView = 'scrolled' | 'clipped' | 'whole'

interface PayloadProps {
  readonly text: string
  readonly label: string
  readonly language?: string
  readonly growing?: boolean
  /** The view returns to the beginning when the text is complete. */
  readonly returns?: boolean
  readonly view?: PayloadView
}

/** Draws a text of a call's arguments, with a count of clipped lines. */
export function Payload(props: PayloadProps) {
  const { text, label, language = '', growing = false, returns = false, view = 'scrolled' } = props
  const contentRef = useFollowEnd(growing, { returns })
  const clipped = useMemo(() => (view === 'clipped' ? clipText(text) : undefined), [text, view])
  return (
    <>
      <pre className="payload" data-view={view} dir="ltr" tabIndex={0} aria-label={label}>
        <code ref={contentRef}>
          <FoldedText text={clipped?.text ?? text} {...{ language, growing }} />
        </code>
      </pre>
      {clipped && clipped.hiddenCharacters > 0 && (
        <p className="clip-note">{describeRest(clipped)}</p>
      )}
    </>
  )
}

/** Describes the clipped part of a text. */
function describeRest({ hiddenLines, hiddenCharacters }: ReturnType<typeof clipText>): string {
  const characters = `${hiddenCharacters.toLocaleString('en')} more characters`
  if (hiddenLines <= 1) return `${characters} not shown`
  return `${hiddenLines.toLocaleString('en')} more lines (${characters}) not shown`
}
