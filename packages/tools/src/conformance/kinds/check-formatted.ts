import { z } from 'zod'
import { decodeOutput } from '../decode-output.ts'
import { checkExpectations, type Expectations } from '../expectations.ts'
import type { KindCheck } from './kind-check.ts'
import { providerTasks } from '../provider-tasks.ts'

/** What is demanded of the data of the messages that the events of a provider become. */
export interface FormattedCheck {
  readonly expectations: Expectations<readonly string[]>
  /** What must be true of every output. */
  always?(data: readonly string[]): string[]
}

const schema = z.object({ data: z.array(z.string()) })

/** Checks what the events of a provider become, in every way of feeding them. */
export function checkFormatted({ expectations, always = () => [] }: FormattedCheck): KindCheck {
  return {
    tasks: providerTasks,
    createJudge: (expected) => (output) => {
      const { data } = decodeOutput(schema, output)
      return [...checkExpectations(expected, data, expectations), ...always(data)]
    },
  }
}
