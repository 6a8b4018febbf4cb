import { z } from 'zod'
import { decodeEnvelope } from 'millrace'
import { decodeOutput } from '../decode-output.ts'
import { differences } from '../differences.ts'
import { foldBlocks } from '../feedings/fold-blocks.ts'
import { framedTasks } from '../framed-tasks.ts'
import type { KindCheck } from './kind-check.ts'

const schema = z.object({ messages: z.array(z.unknown()) })

/** Checks the decoding of legacy XML into envelopes. */
export const checkLegacyXml: KindCheck = {
  tasks: ({ data, ...input }) => framedTasks(data, input),
  createJudge: (expected) => (output) => {
    const messages = decodeOutput(schema, output).messages.map((message) =>
      decodeEnvelope(JSON.stringify(message)),
    )
    const said = messages.filter(({ type }) => type !== 'meta_init')
    return differences(expected, { agent: messages[0]?.agent ?? null, blocks: foldBlocks(said) })
  },
}
