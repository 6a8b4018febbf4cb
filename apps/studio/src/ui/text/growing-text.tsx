import { memo, useEffect, useReducer, useState } from 'react'
import { createPacedChunker } from '../../text/index.ts'
import { VisibleText } from './visible-text.tsx'

/**
 * Plain text that grows at its end, drawn so that only its last piece is touched. Lines of a long text lie in blocks,
 * which the browser lays out one by one; each ends with its line, so that text taken from the page is the text, but for
 * hidden characters, which are marks.
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

/** Some lines, or the part of a long one that has come. */
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
