import { memo, useRef } from 'react'

/** About how much text one chunk holds: small enough to lay out again in no time. */
const CHUNK_LENGTH = 4_000

interface Cut {
  /** The lengths at which chunks end. */
  readonly ends: number[]
  readonly chunks: string[]
}

/** Plain text that grows at its end, drawn so that only its last piece is touched. */
export function GrowingText({ text }: { readonly text: string }) {
  const cut = useRef<Cut>({ ends: [], chunks: [] }).current
  const { chunks, tail } = extend(cut, text)
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

/** Cuts off chunks at line ends as they fill; a text that is not the old one grown starts afresh. */
export function extend(cut: Cut, text: string): { chunks: readonly string[]; tail: string } {
  const { ends, chunks } = cut
  let end = ends.at(-1) ?? 0
  const last = chunks.at(-1) ?? ''
  if (text.length < end || text.slice(end - last.length, end) !== last) {
    ends.length = chunks.length = 0
    end = 0
  }
  while (text.length - end > CHUNK_LENGTH) {
    const lineEnd = text.indexOf('\n', end + CHUNK_LENGTH / 2) + 1
    let next = lineEnd > 0 && lineEnd - end <= CHUNK_LENGTH ? lineEnd : end + CHUNK_LENGTH
    if (/[\ud800-\udbff]/.test(text[next - 1] ?? '')) next-- // not between the halves of a character
    chunks.push(text.slice(end, next))
    ends.push(next)
    end = next
  }
  return { chunks, tail: text.slice(end) }
}
