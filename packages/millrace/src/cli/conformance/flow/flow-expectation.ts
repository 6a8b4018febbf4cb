import type { JsonValue } from '../../../json/index.ts'
import type { FlowInput } from './flow-input.ts'
import type { FlowOutput } from './flow-output.ts'

/** What one expectation of a case demands of what came of it; the answer lists what differs. */
export type FlowExpectation = (wanted: JsonValue, output: FlowOutput, input: FlowInput) => string[]
