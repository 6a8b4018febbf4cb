import type { Format } from '../../format.ts'

/** `[[SEG_START {"type":"write_file","path":"/a"}]]` … `[[SEG_END]]`. */
export const sentinel: Format = {
  name: 'seed-sentinel',
  blocks: [
    {
      open: { header: '[[SEG_START', end: ']]' },
      body: { raw: { segment: 'tool_call', close: [{ anyCaseOf: '[[SEG_END]]' }] } },
    },
  ],
}
