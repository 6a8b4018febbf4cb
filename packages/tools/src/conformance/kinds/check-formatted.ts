import { z } from 'zod'
import { decodeOutput } from '../decode-output.ts'
import { checkExpectations, type Expectations } from '../expectations.ts'
import type { KindCheck } from './kind-check.ts'
import { providerTasks } from '../provider-tasks.ts'

/** Checks of the data that provider events become. */
interface FormattedCheck {
  readonly expectations: Expectations<readonly string[]>
  /** Checks every output. */
  always?(data: readonly string[]): string[]
}

const schema = z.object({ data: z.array(z.string()) })

/** Checks the output of provider events, in every feeding. */
export function checkFormatted({ expectations, always = () => [] }: FormattedCheck): KindCheck {
  return {
    tasks: providerTasks,
    createJudge: (expected) => (output) => {
      const { data } = decodeOutput(schema, output)
      return [...checkExpectations(expected, data, expectations), ...always(data)]
    },
  }
}
