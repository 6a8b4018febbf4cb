import type { Block, Body } from '../format.ts'
import { compileOpen, type Opener } from './compile-open.ts'
import type { Marker } from './marker.ts'
import type { Opening } from './opening.ts'
import type { Reader } from './reader.ts'
import type { Reading } from './step.ts'

/** Reads what is inside a block; false if it is none, and then nothing was accepted. */
export type BodyReader = (reader: Reader, opening: Opening) => Reading<boolean>

/** Turns a body of a format into its reader. */
export type CompileBody = (body: Body) => BodyReader

/** How a block begins, and the body that follows. */
interface CompiledBlock {
  readonly opener: Opener
  readonly body: BodyReader
}

/** Blocks by the markers with which they begin. */
export type OpenerTable = ReadonlyMap<Marker, CompiledBlock>

/** Compiles blocks into a table for a scan. */
export function compileBlocks(blocks: readonly Block[], compileBody: CompileBody): OpenerTable {
  return new Map(
    blocks.flatMap(({ open, body, control = false }) => {
      const reader = compileBody(body)
      return compileOpen(open, { control }).map(
        (opener) => [opener.marker, { opener, body: reader }] as const,
      )
    }),
  )
}

/** Reads the first of the blocks that is one; false if none is, and then nothing was accepted. */
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
 * Reads a block whose code may be the user's. If it throws, or begins something and then says that it is none,
 * what it had begun is ended. What takes nothing is no block, or the scan would stay here.
 */
function* readSafely(reader: Reader, block: CompiledBlock): Reading<boolean> {
  const { position, output, tape } = reader
  const { begun } = output
  const { taken } = tape
  const isBlock = yield* tryRead(reader, block)
  if (!isBlock && output.begun === begun && tape.taken === taken) return false
  if (!isBlock) {
    output.interrupt = undefined
    reader.position = tape.taken
  }
  if (output.begun !== begun) output.settle()
  if (isBlock && tape.taken === taken && reader.position > position) reader.accept()
  reader.position = Math.max(reader.position, tape.taken)
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
