import type { JsonValue } from '../../../json/index.ts'
import type { FlowInput } from './flow-input.ts'
import type { FlowReport } from './run-flow.ts'

/** What one expectation of a case demands of what came of it; the answer lists what differs. */
export type FlowExpectation = (wanted: JsonValue, report: FlowReport, input: FlowInput) => string[]
