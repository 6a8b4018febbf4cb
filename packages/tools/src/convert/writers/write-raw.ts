import { type ProviderInput, rawFormatter } from 'millrace/formatters'
import type { Framing } from '../framing.ts'
import type { Stage } from '../stage.ts'

/** Writes a stream of the Messages API; a provider stream is passed on unchanged. */
export function writeRaw(frame: Framing): Stage<ProviderInput, string> {
  const formatter = rawFormatter()
  return {
    push: (input) => formatter.feed(input).map(frame),
    end: () => formatter.finish().map(frame),
  }
}
