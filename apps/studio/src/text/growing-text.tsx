import { memo, useState } from 'react'
import { createTextChunker } from './text-chunker.ts'

/** Plain text that grows at its end, drawn so that only its last piece is touched. */
export function GrowingText({ text }: { readonly text: string }) {
  const [chunker] = useState(createTextChunker)
  const { chunks, tail } = chunker.update(text)
  return (
    <>
      {chunks.map((chunk, index) => (
        <Chunk key={index} text={chunk} />
      ))}
      <Chunk key={chunks.length} text={tail} />
    </>
  )
}

const Chunk = memo(function Chunk({ text }: { readonly text: string }) {
  return <span>{text}</span>
})
