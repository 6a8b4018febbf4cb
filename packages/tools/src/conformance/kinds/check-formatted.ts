import { z } from 'zod'
import { decodeOutput, checkExpectations, type Expectations } from '../differences.ts'
import type { KindCheck, CaseTask } from './kind-check.ts'
import { isJsonObject, type JsonObject, encodeSse } from 'millrace'
import { feedings } from '../feedings/feedings.ts'

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

/** Yields every feeding of provider events: as values, and as bytes with every way of cutting them. */
function* providerTasks({ events: given, ...input }: JsonObject): Generator<CaseTask> {
  const events = Array.isArray(given) ? given.filter(isJsonObject) : []
  yield { input, feeding: 'objects', fed: { form: 'values', pieces: events } }
  const frames = events.map((event) =>
    encodeSse({ event: String(event['type']), data: JSON.stringify(event) }),
  )
  const bytes = new TextEncoder().encode(frames.join(''))
  for (const { name, cut } of feedings())
    yield { input, feeding: name, fed: { form: 'bytes', pieces: cut(bytes) } }
}
