import { createAgentScope } from './agent-scope.ts'
import { createBlockWriter } from './block-writer.ts'
import { DEFAULT_LIMITS, type LegacyXmlDecoder, type LegacyXmlDecoderOptions } from './decoder.ts'
import { END_OF_STREAM, mayBeFailure, readFailure } from './last-word.ts'
import { createMessageReader } from './message-reader.ts'

/**
 * Creates a decoder for a legacy stream whose messages are given one by one, each the data of one SSE message:
 * only a whole message can be structure. [XML-2]
 */
export function createLegacyXmlDecoder({
  agent,
  limits = {},
}: LegacyXmlDecoderOptions = {}): LegacyXmlDecoder {
  const { maxElementLength } = { ...DEFAULT_LIMITS, ...limits }
  const writer = createBlockWriter(createAgentScope(agent))
  const reader = createMessageReader(writer, maxElementLength)
  let lastWord: string | undefined

  /** These mean something only if nothing follows them. [XML-16] */
  function mayBeLastWord(message: string): boolean {
    return mayBeFailure(message) || (reader.isInside && message === END_OF_STREAM)
  }

  return {
    feed(message) {
      if (lastWord !== undefined) reader.read(lastWord)
      lastWord = mayBeLastWord(message) ? message : undefined
      if (lastWord === undefined) reader.read(message)
      return writer.take()
    },
    finish() {
      const failure = lastWord === undefined ? undefined : readFailure(lastWord)
      const isText = lastWord !== END_OF_STREAM && failure === undefined
      if (lastWord !== undefined && isText) reader.read(lastWord)
      lastWord = undefined
      reader.finish()
      if (failure !== undefined) writer.addMessage(failure)
      return writer.take()
    },
  }
}
