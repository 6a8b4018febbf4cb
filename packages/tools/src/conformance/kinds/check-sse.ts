import { z } from 'zod'
import { decodeOutput } from '../decode-output.ts'
import { differences } from '../differences.ts'
import { type Feeding, feedings } from '../feedings/feedings.ts'
import type { KindCheck } from './kind-check.ts'

const word = z.string().nullish()
const schema = z.looseObject({
  events: z.array(z.looseObject({ data: z.string(), event: word, id: word })),
  last_event_id: z.string(),
  retry: z.number().nullish(),
})

/** Checks the decoding of bytes into events, in the chunks of the case and in every other feeding. */
export const checkSse: KindCheck = {
  *tasks(input) {
    const chunks = (input['chunks_b64'] as readonly string[]).map(
      (text) => new Uint8Array(Buffer.from(text, 'base64')),
    )
    const own: Feeding = { name: 'its own pieces', cut: () => chunks }
    const bytes = new Uint8Array(Buffer.concat(chunks))
    for (const { name, cut } of [own, ...feedings()])
      yield { input: {}, feeding: name, fed: { form: 'bytes', pieces: cut(bytes) } }
  },
  createJudge: (expected) => (output) => {
    const decoded = decodeOutput(schema, output)
    return differences(expected, { ...decoded, data: decoded.events.map(({ data }) => data) })
  },
}
