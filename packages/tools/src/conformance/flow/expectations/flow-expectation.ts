import type { JsonValue } from 'millrace'
import type { FlowFound } from '../flow-found.ts'
import type { FlowInput } from '../flow-input.ts'

/** Checks one expectation of a case; returns the differences. */
export type FlowExpectation = (wanted: JsonValue, found: FlowFound, input: FlowInput) => string[]
