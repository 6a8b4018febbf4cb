import type { InputBuffer } from './input-buffer.ts'

/**
 * A condition that a format reader waits for. Steps are driven from outside the coroutine, so that a chunk in the
 * middle of a long body costs one call and no resumption.
 */
export interface Step {
  /** Advances as far as the buffer allows; returns true once the reader can continue. */
  advance(input: InputBuffer): boolean
}

/** Waits for any further input, or for the end. */
export const more: Step = {
  advance(input) {
    const { hasNewInput } = input
    input.hasNewInput = false
    return hasNewInput
  },
}

/** Receives content as it is read. */
export interface Sink {
  text(piece: string): void
}
