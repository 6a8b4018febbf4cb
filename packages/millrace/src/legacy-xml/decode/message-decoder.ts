import { createAgentScope } from '../agent-scope.ts'
import { createBlockWriter } from './block-writer.ts'
import { DEFAULT_LIMITS, type LegacyXmlDecoder, type LegacyXmlDecoderOptions } from './decoder.ts'
import { END_OF_STREAM, readFailure } from './stream-end.ts'
import { createMessageReader } from './message-reader.ts'

/**
 * Creates a decoder for a legacy stream with message boundaries, each input the data of one SSE message: only a
 * whole message can be structure. [XML-2]
 */
export function createLegacyXmlDecoder({
  agent,
  limits = {},
}: LegacyXmlDecoderOptions = {}): LegacyXmlDecoder {
  const { maxElementLength } = { ...DEFAULT_LIMITS, ...limits }
  const writer = createBlockWriter(createAgentScope(agent))
  const reader = createMessageReader(writer, maxElementLength)
  /** Messages that have a meaning only at the end of the stream: a failure, the end marker, or both. [XML-16] */
  let endMessages: string[] = []

  function isEndCandidate(message: string): boolean {
    if (message === END_OF_STREAM) return true
    return endMessages.length === 0 && readFailure(message) !== undefined
  }

  function readAsText(): void {
    for (const message of endMessages) reader.read(message)
    endMessages = []
  }

  function read(message: string): void {
    if (reader.isInside && isEndCandidate(message)) return void endMessages.push(message)
    readAsText()
    // A model never writes text outside a block.
    const failure = reader.isInside ? undefined : readFailure(message)
    if (failure === undefined) reader.read(message)
    else writer.addMessage(failure)
  }

  return {
    feed(message) {
      read(message)
      return writer.take()
    },
    finish() {
      const failure = readFailure(endMessages[0] ?? '')
      endMessages = []
      reader.finish()
      if (failure !== undefined) writer.addMessage(failure)
      return writer.take()
    },
  }
}
