import type { Format } from '../../format.ts'
import { ifKnown } from './if-known.ts'

/** ReAct prompts: `Action: name` and `Action Input:` with a JSON object; any other input is text. */
export const react: Format = {
  name: 'react',
  blocks: [
    {
      open: { literal: 'Action:', at: 'line' },
      body: {
        named: {
          until: ['\nAction Input:', '\r\nAction Input:'],
          // A line without an input after it is prose.
          keep: ['\n'],
          pattern: /^(?<name>[\p{L}_][\p{L}\p{N}_.-]*)$/u,
          body: { switch: [{ first: /\{/, body: { custom: ifKnown() } }] },
        },
      },
    },
  ],
}
