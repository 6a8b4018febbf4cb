import type { Envelope } from 'millrace'

/** Represents `[DONE]`, the end of a complete stream. */
export const DONE = Symbol('done')

/** A frame of a stream, or its end. */
export type WireItem = Envelope | typeof DONE

/** The note on a stream without `[DONE]`. [SSE-5] */
export const CUT = 'The input has no [DONE]: it is truncated or continues.'

/** The note on a provider's stream whose last message has no end. */
export const CUT_MESSAGE = 'The input was truncated: its last message is incomplete.'
