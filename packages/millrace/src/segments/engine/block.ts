import type { FormatBlock, Body } from '../format.ts'
import { compileOpen, type Opener } from './compile-open.ts'
import type { Marker } from './scan/marker.ts'
import type { Opening, Reader, Reading } from './reader.ts'

/** Reads the inside of a block; returns false if it is not one, and then nothing was accepted. */
export type BodyReader = (reader: Reader, opening: Opening) => Reading<boolean>

/** Compiles a body of a format to its reader. */
export type CompileBody = (body: Body) => BodyReader

interface CompiledBlock {
  readonly opener: Opener
  readonly body: BodyReader
}

/** Blocks by the markers of their openers. */
export type OpenerTable = ReadonlyMap<Marker, CompiledBlock>

/** Compiles blocks to a table for a scan. */
export function compileBlocks(
  blocks: readonly FormatBlock[],
  compileBody: CompileBody,
): OpenerTable {
  return new Map(
    blocks.flatMap(({ open, body, control = false }) => {
      const reader = compileBody(body)
      return compileOpen(open, { control }).map(
        (opener) => [opener.marker, { opener, body: reader }] as const,
      )
    }),
  )
}

/** Reads the first candidate that is a block; returns false if none is, and then nothing was accepted. */
export function* readBlock(
  reader: Reader,
  table: OpenerTable,
  found: readonly Marker[],
  position: number,
): Reading<boolean> {
  for (const marker of found) {
    const block = table.get(marker)
    if (block === undefined || reader.output.isFull) continue
    reader.position = position
    if (yield* readSafely(reader, block)) return true
  }
  reader.position = position
  return false
}

/**
 * Reads a block whose code may be the user's. If the code throws, or returns false after it has begun a segment,
 * that segment is ended. Code that reads nothing is not a block, because the scan would not advance.
 */
function* readSafely(reader: Reader, block: CompiledBlock): Reading<boolean> {
  const { position, output, input } = reader
  const { begun } = output
  const { consumed } = input
  const isBlock = yield* tryRead(reader, block)
  if (!isBlock && output.begun === begun && input.consumed === consumed) return false
  if (!isBlock) {
    output.interrupt = undefined
    reader.position = input.consumed
  }
  if (output.begun !== begun) output.settle()
  if (isBlock && input.consumed === consumed && reader.position > position) reader.accept()
  reader.position = Math.max(reader.position, input.consumed)
  return reader.position > position
}

function* tryRead(reader: Reader, { opener: { read }, body }: CompiledBlock): Reading<boolean> {
  reader.depth++
  try {
    const opening = yield* read(reader)
    return opening !== undefined && (yield* body(reader, opening))
  } catch (error) {
    reader.onError?.(error)
    return false
  } finally {
    reader.depth--
  }
}
