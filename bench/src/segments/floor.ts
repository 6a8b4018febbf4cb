import type { Runner } from './workload.ts'

/** The minimum work of any parser: one search in each chunk, and one event for it. */
export const floor: Runner = {
  name: 'one indexOf and one event a chunk',
  role: 'parser',
  prepare: (chunks) => () => {
    let count = 0
    for (const delta of chunks) {
      const events = [{ type: 'SEGMENT_CONTENT', segment_id: 'seg_1', payload: { delta } }]
      if (delta.indexOf('<') < chunks.length) count += events.length
    }
    return count
  },
}
