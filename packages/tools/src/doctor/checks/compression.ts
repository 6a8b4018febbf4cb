import { toTime } from '../amounts.ts'
import type { Check } from '../examination.ts'
import { note, ok, problem } from '../finding.ts'

/** Checks whether streams are compressed for clients that accept that, as all browsers do. */
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
        `The stream is compressed with ${encoding}, and ${probed.frames.length} of ${frames} frames could be read`,
        'The stream is damaged or cut for clients that accept compression, as all browsers do.',
        'compression',
      )
    }
    const { isHeld, worstLagMs } = judge(probed)
    return isHeld
      ? problem(
          `The stream is compressed with ${encoding}, and frames arrived up to ${toTime(worstLagMs)} late`,
          'The compressor waits until a block is full: text arrives in groups in browsers, while tools that do not accept compression are not affected.',
          'compression',
        )
      : note(
          `The stream is compressed with ${encoding}, and frames arrived in time`,
          'The server sends `no-transform`: a proxy that ignores it may hold back smaller or less frequent frames.',
          'compression',
        )
  },
}
