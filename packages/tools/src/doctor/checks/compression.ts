import { toTime } from '../amounts.ts'
import type { Check } from '../examination.ts'
import { note, ok, problem } from '../finding.ts'

/** Whether event streams are compressed for those who offer to take that, as all browsers do. */
export const compression: Check = {
  title: 'Compression',
  run: async ({ probe, judge, frames, intervalMs }) => {
    const headers = { 'accept-encoding': 'gzip, deflate, br' }
    const probed = await probe({ frames, intervalMs, headers })
    const encoding = probed.headers['content-encoding'] ?? 'identity'
    if (encoding === 'identity')
      return ok('The stream is not compressed, though gzip and br were offered')
    if (probed.end !== 'done') {
      return problem(
        `The stream is compressed with ${encoding}, and of ${frames} frames ${probed.frames.length} could be read`,
        'What is sent is damaged or cut on the way for whoever offers to take it compressed, as all browsers do.',
        'compression',
      )
    }
    const { isHeld, worstLagMs } = judge(probed)
    return isHeld
      ? problem(
          `The stream is compressed with ${encoding}, and frames came up to ${toTime(worstLagMs)} late`,
          'What compresses waits until a block is full: words come in lumps in browsers, while tools that do not ask for compression see none of it.',
          'compression',
        )
      : note(
          `The stream is compressed with ${encoding}, and frames came in time`,
          'The server asks for `no-transform`: what ignores that may hold frames back when they are smaller or rarer.',
          'compression',
        )
  },
}
