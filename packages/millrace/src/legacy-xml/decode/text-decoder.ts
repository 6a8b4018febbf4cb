import { createAgentScope } from '../agent-scope.ts'
import { createBlockWriter } from './block-writer.ts'
import { copySlice } from '../escaping/copy-slice.ts'
import { DEFAULT_LIMITS, type LegacyXmlDecoder, type LegacyXmlDecoderOptions } from './decoder.ts'
import { type Cursor, outside, type State } from './text-states.ts'

/**
 * Creates a decoder for a legacy stream without message boundaries, such as a saved file. The output depends only
 * on the whole text, not on how it is split. [XML-4]
 */
export function createLegacyXmlTextDecoder({
  agent,
  limits = {},
}: LegacyXmlDecoderOptions = {}): LegacyXmlDecoder {
  const writer = createBlockWriter(createAgentScope(agent))
  const context = { ...DEFAULT_LIMITS, ...limits, writer }
  let state = outside(context)
  let held = ''
  return {
    feed(piece) {
      const cursor: Cursor = { source: held + piece, at: 0 }
      for (let next: State | undefined = state; next !== undefined; next = state.scan(cursor)) {
        state = next
      }
      held = copySlice(cursor.source, cursor.at)
      return writer.take()
    },
    finish() {
      state.finish(held)
      state = outside(context)
      held = ''
      writer.interruptBlock()
      return writer.take()
    },
  }
}
