import type { ProtocolCode } from '../../port/index.ts'
import { agUiFormat, readAgUiOptions } from '../index.ts'
import { runPlan } from './thread-plan.ts'

/** The code of the protocol `ag-ui`. */
export const code: ProtocolCode = {
  format: (query) => agUiFormat(readAgUiOptions(query)),
  plans: { run: runPlan },
}
