import { DONE_DATA } from '../../sse/index.ts'
import type { EventFormat } from '../port/index.ts'
import { SegmentsWriter, type SegmentsWriterOptions } from './segments-writer.ts'

/** Options of the segments format. */
export type SegmentsFormatOptions = Partial<SegmentsWriterOptions>

/**
 * Creates the segments format: `SEGMENT_START`, `SEGMENT_CONTENT` and `SEGMENT_END` for text, reasoning and calls. Calls that write files
 * or run commands stream the content that they write. [SEG-1]
 */
export function segmentsFormat({
  agents = 'root',
  onOmit = () => {},
}: SegmentsFormatOptions = {}): EventFormat {
  return {
    name: 'segments',
    reads: 'events',
    headers: {},
    done: DONE_DATA,
    open: (root) => new SegmentsWriter(root, { agents, onOmit }),
  }
}
