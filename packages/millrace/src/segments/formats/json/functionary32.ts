import type { Format } from '../../format.ts'
import { ifKnown } from './if-known.ts'

/** Functionary 3.2: `>>>name` and JSON on the lines after it; `>>>all` before text. */
export const functionary32: Format = {
  name: 'functionary32',
  blocks: [
    {
      open: { literal: '>>>' },
      orphans: ['>>>all\n', '>>>all\r\n'],
      body: {
        named: {
          until: ['\n'],
          pattern: /^(?!all$)(?<name>[\p{L}_][\p{L}\p{N}_.-]*)$/u,
          body: { switch: [{ first: /\{/, body: { custom: ifKnown() } }] },
        },
      },
    },
  ],
}
