import type { CallDecision } from 'millrace/client'

/** Arguments of a call. */
export type Arguments = NonNullable<CallDecision['input']>

/** Arguments that the user wrote, or their problem. */
export interface ReadArguments {
  readonly input?: Arguments
  readonly problem?: string
}

/** Parses arguments that the user wrote: one JSON object. */
export function readArguments(text: string): ReadArguments {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: `This is not JSON yet: ${error instanceof Error ? error.message : ''}` }
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { input: value as Arguments }
  return { problem: 'Arguments are one object: { "name": value, … }' }
}
