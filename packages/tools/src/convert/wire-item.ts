import type { Envelope } from 'millrace'

/** Stands for `[DONE]`, the end of a stream that came to its end. */
export const DONE = Symbol('done')

/** A message of a stream, or its end. */
export type WireItem = Envelope | typeof DONE

/** What a person is told of a stream that has no `[DONE]`. [SSE-5] */
export const CUT = 'The input has no [DONE]: it was cut, or goes on.'

/** What a person is told of a provider's stream whose last message has no end. */
export const CUT_MESSAGE = 'The input was cut: its last message does not come to its end.'
