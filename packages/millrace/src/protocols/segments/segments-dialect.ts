import { DONE_DATA } from '../../sse/index.ts'
import type { EventDialect } from '../port/index.ts'
import { SegmentsWriter, type SegmentsWriterOptions } from './segments-writer.ts'

/** How runs become segments. */
export type SegmentsDialectOptions = Partial<SegmentsWriterOptions>

/**
 * What agents said as `SEGMENT_START`, `SEGMENT_CONTENT` and `SEGMENT_END`: text, reasoning and calls, of which those
 * that write files or run commands stream what they write. [SEG-1]
 */
export function segmentsDialect({
  agents = 'root',
  onOmit = () => {},
}: SegmentsDialectOptions = {}): EventDialect {
  return {
    name: 'segments',
    reads: 'events',
    headers: {},
    done: DONE_DATA,
    open: (root) => new SegmentsWriter(root, { agents, onOmit }),
  }
}
