import { memo, useEffect, useReducer, useState } from 'react'
import { createPacedChunker } from '../../text/index.ts'
import { VisibleText } from './visible-text.tsx'

/**
 * Draws growing plain text so that only its last chunk changes. Lines of a long text are in blocks with separate
 * layouts. Each block ends with a line break, so that copied text is the original text except for hidden characters.
 */
export function GrowingText({ text }: { readonly text: string }) {
  const [chunker] = useState(createPacedChunker)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const shown = chunker.update(text)
  useEffect(() => {
    if (shown.restMs === 0) return undefined
    const timer = setTimeout(() => {
      chunker.wake()
      redraw()
    }, shown.restMs)
    return () => clearTimeout(timer)
  }, [chunker, shown])
  const { blocks, open, tail } = shown
  return (
    <>
      {blocks.map((chunks, index) => (
        <Lines key={index} chunks={chunks} isBlock />
      ))}
      <Lines key={blocks.length} chunks={open} tail={tail} isBlock={blocks.length > 0} />
    </>
  )
}

interface LinesProps {
  readonly chunks: readonly string[]
  readonly tail?: string
  readonly isBlock: boolean
}

const blockStyle = { display: 'block' }

/** Draws some lines, or the part of a long one that has arrived. */
const Lines = memo(function Lines({ chunks, tail, isBlock }: LinesProps) {
  return (
    <span style={isBlock ? blockStyle : undefined}>
      {chunks.map((chunk, index) => (
        <Chunk key={index} text={chunk} />
      ))}
      {tail !== undefined && <Chunk key={chunks.length} text={tail} />}
    </span>
  )
})

const Chunk = memo(function Chunk({ text }: { readonly text: string }) {
  return (
    <span>
      <VisibleText text={text} />
    </span>
  )
})
