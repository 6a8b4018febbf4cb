import { memo, useState } from 'react'
import { createTextChunker } from './text-chunker.ts'
import { usePaced } from './use-paced.ts'

/** Plain text that grows at its end, drawn so that only its last piece is touched. */
export function GrowingText({ text }: { readonly text: string }) {
  const [chunker] = useState(createTextChunker)
  const paced = usePaced(text)
  const { blocks, open, tail } = chunker.update(paced.text)
  paced.rest(open)
  const isLong = blocks.length > 0
  return (
    <>
      {blocks.map((chunks, index) => (
        <Block key={index} chunks={chunks} isLong />
      ))}
      <Block key={blocks.length} chunks={open} tail={tail} isLong={isLong} />
    </>
  )
}
