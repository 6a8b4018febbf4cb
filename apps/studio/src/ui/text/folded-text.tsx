import { useMemo } from 'react'
import { foldBlanks } from '../../text/index.ts'
import type { FoldedPiece } from '../../text/index.ts'
import { GrowingText } from './growing-text.tsx'
import { useHighlight } from './use-highlight.ts'

interface FoldedTextProps {
  readonly text: string
  /** Language for highlighting; empty for none. */
  readonly language?: string
  /** A growing text is drawn as it is; its blanks are collapsed when it is complete. */
  readonly growing?: boolean
}

/** Draws a text with long runs of blanks as their length and hidden characters as marks. */
export function FoldedText({ text, language = '', growing = false }: FoldedTextProps) {
  const pieces = useMemo<readonly FoldedPiece[]>(
    () => (growing ? [{ kind: 'text', text }] : foldBlanks(text)),
    [text, growing],
  )
  return pieces.map((piece, index) =>
    piece.kind === 'text' ? (
      <Passage key={index} text={piece.text} language={language} growing={growing} />
    ) : (
      <Blanks key={index} kind={piece.kind} count={piece.count} />
    ),
  )
}

function Passage({ text, language, growing }: Required<FoldedTextProps>) {
  return useHighlight(text, language, !growing) ?? <GrowingText text={text} />
}

interface BlanksProps {
  readonly kind: 'lines' | 'spaces'
  readonly count: number
}

function Blanks({ kind, count }: BlanksProps) {
  const what = kind === 'lines' ? 'blank lines' : 'spaces'
  return (
    <span className="blanks" data-kind={kind}>
      {count.toLocaleString('en')} {what}
    </span>
  )
}
