import type { MessageEnd } from '../../events/index.ts'

/** How providers say that a request is longer than the model can read. */
const tooLong = /prompt is too long|context (window|length|limit)|maximum context|too many tokens/i

/** Tells whether a model could not answer because the conversation does not fit it. */
export function isContextFull({ outcome, failure }: MessageEnd): boolean {
  return outcome === 'failed' && failure !== undefined && tooLong.test(failure.message)
}
